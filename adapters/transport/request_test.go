package transport_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"stele/adapters/transport"
)

func TestReadBodyIsBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		body    string
		chunked bool
		ok      bool
	}{
		"empty":              {"", false, true},
		"at the limit":       {"12345678", false, true},
		"above the limit":    {"123456789", false, false},
		"chunked, at it":     {"12345678", true, true},
		"chunked, above it":  {"123456789", true, false},
		"chunked, far above": {strings.Repeat("x", 1<<16), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(tc.body))
			if tc.chunked {
				r.ContentLength = -1
			}
			got, err := transport.ReadBody(r, 8)
			if tc.ok {
				require.NoError(t, err)
				require.Equal(t, tc.body, string(got))
				return
			}
			var large *transport.TooLargeError
			require.ErrorAs(t, err, &large)
			require.EqualValues(t, 8, large.Max)
		})
	}
}

func TestReadBodyDoesNotReadWhatIsDeclaredTooLarge(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", iotest.ErrReader(errors.New("must not be read")))
	r.ContentLength = 9
	_, err := transport.ReadBody(r, 8)
	var large *transport.TooLargeError
	require.ErrorAs(t, err, &large)
}

func TestReadBodyReportsABrokenConnection(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", iotest.ErrReader(io.ErrUnexpectedEOF))
	_, err := transport.ReadBody(r, 8)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	r.Body = nil
	got, err := transport.ReadBody(r, 8)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestBearer(t *testing.T) {
	for header, want := range map[string]struct {
		token string
		ok    bool
	}{
		"Bearer abc":       {"abc", true},
		"Bearer  abc":      {" abc", true},
		"Bearer a b":       {"a b", true},
		"bearer abc":       {"", false},
		"BEARER abc":       {"", false},
		"Bearer\tabc":      {"", false},
		"Bearer":           {"", false},
		"Basic YTpi":       {"", false},
		" Bearer abc":      {"", false},
		"Token Bearer abc": {"", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", header)
		token, ok := transport.Bearer(r)
		require.Equal(t, want.ok, ok, header)
		if ok {
			require.Equal(t, want.token, token, header)
		}
	}
	_, ok := transport.Bearer(httptest.NewRequest(http.MethodGet, "/", nil))
	require.False(t, ok)
}

func TestClientIPIsTheTCPPeer(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:4000":          "192.0.2.7",
		"[2001:db8::1]:4000":      "2001:db8::1",
		"[fe80::1%eth0]:4000":     "fe80::1",
		"[::ffff:192.0.2.7]:4000": "192.0.2.7",
		"192.0.2.7":               "192.0.2.7",
		"@":                       "@",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = remote
		r.Header.Set("X-Forwarded-For", "203.0.113.9")
		r.Header.Set("X-Real-Ip", "203.0.113.9")
		require.Equal(t, want, transport.ClientIP(r), remote)
	}
}

func TestKey(t *testing.T) {
	request := func(method, path string, keys ...string) *http.Request {
		r := httptest.NewRequest(method, path, nil)
		for _, k := range keys {
			r.Header.Add(transport.HeaderIdempotencyKey, k)
		}
		return r
	}
	long := strings.Repeat("k", transport.MaxKeyBytes)
	for _, tc := range []struct {
		keys  []string
		valid bool
		value string
	}{
		{nil, true, ""},
		{[]string{"k"}, true, "k"},
		{[]string{"!~"}, true, "!~"},
		{[]string{long}, true, long},
		{[]string{long + "k"}, false, ""},
		{[]string{""}, false, ""},
		{[]string{"a b"}, false, ""},
		{[]string{"a\x7f"}, false, ""},
		{[]string{"ä"}, false, ""},
		{[]string{"a", "b"}, false, ""},
	} {
		r := request(http.MethodPost, "/p", tc.keys...)
		require.Equal(t, tc.valid, transport.ValidKey(r), "%q", tc.keys)
		key := transport.Key(r, "agt_1", []byte("body"))
		if tc.value == "" {
			require.Nil(t, key, "%q", tc.keys)
			continue
		}
		require.Equal(t, tc.value, key.Value)
		require.Equal(t, "agt_1", key.Agent)
	}
	same := transport.Key(request(http.MethodPost, "/p", "k"), "a", []byte("body")).BodyHash
	require.Len(t, same, 64)
	require.Equal(t, same, transport.Key(request(http.MethodPost, "/p?q=1", "k"), "a", []byte("body")).BodyHash)
	for name, other := range map[string]string{
		"method":   transport.Key(request(http.MethodPut, "/p", "k"), "a", []byte("body")).BodyHash,
		"path":     transport.Key(request(http.MethodPost, "/pb", "k"), "a", []byte("body")).BodyHash,
		"body":     transport.Key(request(http.MethodPost, "/p", "k"), "a", []byte("bodY")).BodyHash,
		"boundary": transport.Key(request(http.MethodPost, "/pb", "k"), "a", []byte("ody")).BodyHash,
	} {
		require.NotEqual(t, same, other, name)
	}
}

func FuzzKey(f *testing.F) {
	f.Add("k", []byte("body"))
	f.Add("", []byte(nil))
	f.Add("a b\x00", []byte{0xff})
	f.Fuzz(func(t *testing.T, value string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/p", nil)
		r.Header[transport.HeaderIdempotencyKey] = []string{value}
		key := transport.Key(r, "a", body)
		require.Equal(t, transport.ValidKey(r), key != nil)
		if key == nil {
			return
		}
		require.Equal(t, value, key.Value)
		require.NotEmpty(t, value)
		require.LessOrEqual(t, len(value), transport.MaxKeyBytes)
		require.NotContains(t, value, " ")
	})
}
