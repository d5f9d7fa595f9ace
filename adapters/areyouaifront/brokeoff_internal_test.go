package areyouaifront

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"stele/core"
)

// A client that leaves is nothing to tell an operator of; a log that can not be read is.
func TestWhatBreaksOff(t *testing.T) {
	seen, logs := observer.New(zapcore.DebugLevel)
	f := &Front{log: zap.New(seen)}
	f.brokeOff("event stream", errors.New("connection reset"), zap.String("room", "room_1"))
	f.brokeOff("event stream", fmt.Errorf("read: %w", &core.CorruptError{File: "log.db", First: 7, Last: 7, Cause: errors.New("checksum")}))
	all := logs.All()
	require.Len(t, all, 2)
	require.Equal(t, zapcore.DebugLevel, all[0].Level)
	require.Equal(t, "room_1", all[0].ContextMap()["room"])
	require.Equal(t, zapcore.ErrorLevel, all[1].Level)
	require.Equal(t, "event stream broke off", all[1].Message)
}
