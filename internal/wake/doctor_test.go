package wake

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"stele/internal/strictjson"
)

// diagnose examines the world's sidecar; change may break something first.
func (w *world) diagnose(change func(*Options)) (Report, map[string]Check) {
	w.t.Helper()
	client, done := w.net.client()
	defer done()
	o := w.options(client)
	o.HookURL, o.HookToken, o.HookCommand = "", "", []string{"sh"}
	if change != nil {
		change(&o)
	}
	r := Examine(context.Background(), o, nil)
	byName := map[string]Check{}
	for _, c := range r.Checks {
		byName[c.Name] = c
	}
	return r, byName
}

func TestDoctorFindsNothingWrong(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		id := w.server.ready("room_1", 0)
		r, byName := w.diagnose(nil)
		require.True(t, r.OK, "%+v", r.Checks)
		require.Zero(t, r.ExitCode())
		require.Len(t, byName, 8)
		require.Contains(t, byName["stream"].Detail, testAgent)
		require.False(t, w.server.acked(id))
		require.Empty(t, w.hook.calls())
		require.NoDirExists(t, w.dir, "nothing is written")
		for _, req := range w.server.requests() {
			require.NotContains(t, req, "actionable-rooms", "it would revoke tokens at work")
			require.NotContains(t, req, "access-token")
		}
	})
}

func TestDoctorNamesWhatIsWrong(t *testing.T) {
	refusing := func(path string) func(w *world, o *Options) {
		return func(w *world, _ *Options) {
			w.server.refuse = func(r *http.Request) int {
				if strings.HasPrefix(r.URL.Path, path) {
					return http.StatusServiceUnavailable
				}
				return 0
			}
		}
	}
	for name, c := range map[string]struct {
		breakIt func(w *world, o *Options)
		failed  string
		skipped []string
		exit    int
	}{
		"no server":      {func(_ *world, o *Options) { o.Server = "" }, "config", []string{"files", "key", "health", "login", "capabilities", "stream", "hook"}, ExitConfig},
		"no key":         {func(_ *world, o *Options) { o.APIKey = "" }, "key", []string{"login", "stream"}, ExitCredential},
		"refused key":    {func(w *world, _ *Options) { w.server.key = "ak_other" }, "login", []string{"stream"}, ExitCredential},
		"no host":        {func(_ *world, o *Options) { o.Server = "http://nowhere.test" }, "health", []string{"login", "capabilities", "stream"}, ExitServer},
		"ill":            {refusing("/healthz"), "health", []string{"login", "capabilities", "stream"}, ExitServer},
		"login down":     {refusing("/v1/agent/login"), "login", []string{"stream"}, ExitServer},
		"no stream":      {refusing("/v1/agent/stream"), "stream", nil, ExitServer},
		"lacks features": {func(w *world, _ *Options) { w.server.noCaps = true }, "capabilities", nil, ExitServer},
		"no command":     {func(_ *world, o *Options) { o.HookCommand = []string{"/no/such/program"} }, "hook", nil, ExitHook},
		"open files": {func(w *world, _ *Options) {
			require.NoError(w.t, os.MkdirAll(w.dir, 0o755))
			require.NoError(w.t, os.Chmod(w.dir, 0o755))
		}, "files", nil, ExitConfig},
		"damaged files": {func(w *world, _ *Options) {
			require.NoError(w.t, os.MkdirAll(w.dir, 0o700))
			require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, stateFile), []byte("{"), 0o600))
		}, "files", nil, ExitConfig},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				r, byName := w.diagnose(func(o *Options) { c.breakIt(w, o) })
				require.False(t, r.OK)
				require.Equal(t, c.exit, r.ExitCode(), "%+v", r.Checks)
				for name, check := range byName {
					want := CheckOK
					switch {
					case name == c.failed:
						want = CheckFailed
						require.NotEmpty(t, check.Detail)
					case strings.Contains(" "+strings.Join(c.skipped, " ")+" ", " "+name+" "):
						want = CheckSkipped
					}
					require.Equal(t, want, check.Result, "%s: %s", name, check.Detail)
				}
				text, err := strictjson.Marshal(r)
				require.NoError(t, err)
				require.NotContains(t, string(text), "secret")
			})
		})
	}
}

func TestDoctorFindsAHookURLThatNobodyListensAt(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	o := Options{BaseDir: t.TempDir(), Server: "http://127.0.0.1:1", HookURL: "http://" + ln.Addr().String() + "/x"}
	check := func() CheckResult {
		r := Examine(t.Context(), o, nil)
		return r.Checks[len(r.Checks)-1].Result
	}
	require.Equal(t, CheckOK, check())
	require.NoError(t, ln.Close())
	require.Equal(t, CheckFailed, check())
}

func TestDoctorReportsAConfigurationThatCannotBeLoaded(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, configFile), []byte(`{"api_base_url":1}`), 0o600))
	o, found, err := LoadConfig(dir)
	require.True(t, found)
	var config *ConfigError
	require.ErrorAs(t, err, &config)
	r := Examine(t.Context(), o, err)
	require.Equal(t, ExitConfig, r.ExitCode())
}

func TestConfigComesBackAsItWasSaved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	o, found, err := LoadConfig(dir)
	require.NoError(t, err)
	require.False(t, found)
	require.Equal(t, Options{BaseDir: dir}, o)
	for _, want := range []Options{
		{BaseDir: dir, Server: "https://rooms.example", HookURL: "http://127.0.0.1:9/x", HookToken: "t"},
		{
			BaseDir: dir, Server: "https://rooms.example/prefix", HookCommand: []string{"a", "b c"}, HookTimeout: time.Minute,
			Idle: 90 * time.Minute, Drain: 1500 * time.Millisecond, Parallel: 9,
		},
	} {
		require.NoError(t, SaveConfig(want, true))
		got, found, err := LoadConfig(dir)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, want, got)
		require.ErrorIs(t, SaveConfig(want, false), ErrExists)
	}
	require.Error(t, SaveConfig(Options{BaseDir: dir}, true))
}

func TestLoginKeepsKeyAndSession(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		client, done := w.net.client()
		defer done()
		o := w.options(client)
		require.NoError(t, Login(t.Context(), o))
		st, err := ReadStatus(w.dir)
		require.NoError(t, err)
		require.True(t, st.Session.APIKey)
		require.True(t, st.Session.SessionToken)

		// It is enough for a run, at this server and no other.
		w.server.ready("room_1", 0)
		l := w.start(func(o *Options) { o.APIKey = "" })
		settle(time.Second)
		require.Len(t, w.hook.calls(), 1)
		require.Equal(t, 1, w.server.logins)
		l.end()
		o.APIKey, o.Server = "", "http://other.test"
		_, err = Open(o)
		require.ErrorIs(t, err, ErrLoginRefused)

		o = w.options(client)
		o.APIKey = "ak_wrong-secret"
		err = Login(t.Context(), o)
		require.ErrorIs(t, err, ErrLoginRefused)
		require.NotContains(t, err.Error(), "secret")
	})
}

func TestStatusOfAQueue(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hook.set(func(_ context.Context, job Job) int {
			switch job.RoomID {
			case "room_bad":
				return http.StatusTeapot
			case "room_done":
				w.server.answer(job.RoomID)
			}
			return http.StatusOK
		})
		l := w.start(nil)
		for _, room := range []string{"room_bad", "room_good", "room_done"} {
			w.server.ready(room, 7)
		}
		settle(11 * time.Minute)
		require.NoError(t, os.WriteFile(filepath.Join(w.dir, tokensDir, "x.json"), []byte("["), 0o600))
		st, err := ReadStatus(w.dir)
		require.NoError(t, err)
		require.True(t, st.Running)
		require.Equal(t, StreamConnected, st.Stream.Status)
		require.NotNil(t, st.Stream.LastConnectedAt)
		require.NotNil(t, st.Stream.LastAcknowledgedAt)
		require.Equal(t, testAgent, st.AgentID)
		require.Equal(t, "http://server.test", st.APIBaseURL)
		require.Equal(t, 1, st.Done)
		require.Len(t, st.Tokens, 3)
		require.Equal(t, []string{filepath.Join(tokensDir, "x.json")}, st.Damaged)
		require.Len(t, st.Queue, 2)
		byRoom := map[string]StatusWake{st.Queue[0].RoomID: st.Queue[0], st.Queue[1].RoomID: st.Queue[1]}
		bad, good := byRoom["room_bad"], byRoom["room_good"]
		require.Equal(t, StageQueued, bad.Stage)
		require.Greater(t, bad.Attempts, 3)
		require.Contains(t, bad.LastError, "answered 418")
		require.Equal(t, StageAccepted, good.Stage)
		require.Equal(t, 2, good.Round)
		l.end()
		st, err = ReadStatus(w.dir)
		require.NoError(t, err)
		require.Equal(t, StreamStopped, st.Stream.Status)
	})
}

func TestStatusOfNothing(t *testing.T) {
	st, err := ReadStatus(filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	require.False(t, st.Running)
	require.Empty(t, st.Queue)
}
