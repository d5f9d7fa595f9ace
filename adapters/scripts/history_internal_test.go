package scripts

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestObjectsAreBounded(t *testing.T) {
	o := newObjects(bufio.NewReader(strings.NewReader("{\"a\":\"}\"}\n {\"b\":[{}]}{\"c\":" + strings.Repeat(" ", 100))))
	require.Equal(t, maxUnit, o.max)
	o.max = 20
	for _, want := range []string{`{"a":"}"}`, `{"b":[{}]}`} {
		text, err := o.next()
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	_, err := o.next()
	require.Equal(t, &LineError{Line: 2, Err: errTooLong}, err)
}
