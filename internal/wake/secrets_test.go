package wake

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/areyouai"
	"stele/internal/strictjson"
)

// TestSecretsStayInTheirFiles: every secret of the world has the word in it. Logs at the finest level, what a wake
// remembers, the job, the status and all errors are free of it.
func TestSecretsStayInTheirFiles(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(_ context.Context, job Job) int {
			body, err := strictjson.Marshal(job)
			require.NoError(t, err)
			require.NotContains(t, string(body), "secret")
			if job.RoomID == "room_bad" {
				return http.StatusForbidden
			}
			return http.StatusOK
		})
		l := w.start(nil)
		settle(time.Second)
		w.server.revoke()
		settle(10 * time.Second)
		w.server.ready("room_bad", 0)
		w.server.ready("room_1", 0)
		settle(time.Second)
		w.server.end("room_1", areyouai.FrameRoomClosed)
		settle(15 * time.Minute)
		l.end()
		l = w.start(func(o *Options) { o.HookURL = "http://nowhere.test/?secret=x" })
		settle(10 * time.Minute)
		w.server.mu.Lock()
		w.server.key = "ak_other"
		w.server.mu.Unlock()
		w.server.revoke()
		<-l.done
		require.NotContains(t, l.err.Error(), "secret")
		require.Contains(t, w.logs.String(), "wake postponed", "there was something to log")
		require.NotContains(t, w.logs.String(), "secret")

		st, err := ReadStatus(w.dir)
		require.NoError(t, err)
		require.NotEmpty(t, st.Queue)
		require.Contains(t, st.Queue[0].LastError, "not reached")
		text, err := strictjson.Marshal(st)
		require.NoError(t, err)
		require.NotContains(t, string(text), "secret")
	})
}

func TestConfigurationErrorsQuoteNoSecret(t *testing.T) {
	for _, o := range []Options{
		{},
		{BaseDir: "d", Server: "http://user:secret@host", HookCommand: []string{"x"}},
		{BaseDir: "d", Server: "http://host\x7f/secret", HookURL: "ht!tp://secret"},
		{BaseDir: "d", Server: "https://host", HookURL: "https://u:secret@host/", HookToken: "sec ret secret"},
		{BaseDir: "d", Server: "https://host", HookURL: "https://host/", APIKey: "secret\n"},
		{BaseDir: "d", Server: "https://host", HookURL: "https://host/", HookCommand: []string{"x"}},
		{BaseDir: "d", Server: "https://host", HookCommand: []string{""}},
		{BaseDir: "d", Server: "https://host", HookCommand: []string{"x"}, HookToken: "secret"},
		{BaseDir: "d", Server: "https://host", HookCommand: []string{"x"}, Parallel: -1},
		{BaseDir: "d", Server: "https://host", HookCommand: []string{"x"}, Idle: -1},
	} {
		_, err := Open(o)
		var config *ConfigError
		require.ErrorAs(t, err, &config)
		require.NotContains(t, err.Error(), "secret")
	}
}
