package wake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stele/areyouai"
)

// doctorTimeout bounds each check.
const doctorTimeout = 10 * time.Second

// Exit codes of the sidecar's commands; 1 is any other failure.
const (
	ExitConfig     = 2
	ExitCredential = 3
	ExitServer     = 4
	ExitHook       = 5
)

// CheckResult is how a check came out.
type CheckResult string

// Results of a check. One is skipped when what it needs has failed.
const (
	CheckOK      CheckResult = "ok"
	CheckFailed  CheckResult = "failed"
	CheckSkipped CheckResult = "skipped"
)

// Check is one line of the doctor's report. Its detail holds no secret.
type Check struct {
	Name   string      `json:"name"`
	Result CheckResult `json:"result"`
	Detail string      `json:"detail"`
	exit   int
}

// Report is what the doctor found, in the order in which it looked.
type Report struct {
	OK     bool    `json:"ok"`
	Checks []Check `json:"checks"`
}

// ExitCode is 0, or the code of the first failed check.
func (r *Report) ExitCode() int {
	for _, c := range r.Checks {
		if c.Result == CheckFailed {
			return c.exit
		}
	}
	return 0
}

// Examine checks whether a sidecar with these options would work. It wakes nobody, acknowledges nothing and writes
// nothing; the login makes a new session on the server, as every login does. A configuration that could not even be
// loaded is given as loaded.
func Examine(ctx context.Context, o Options, loaded error) Report {
	d := &doctor{}
	d.run("config", ExitConfig, true, func(context.Context) (string, error) {
		if loaded != nil {
			return "", loaded
		}
		if err := o.Validate(); err != nil {
			return "", err
		}
		var err error
		o, err = o.withDefaults()
		return "", err
	}, ctx)
	d.run("files", ExitConfig, d.ok("config"), func(context.Context) (string, error) { return checkFiles(o.BaseDir) }, ctx)
	server := &serverChecks{opt: &o}
	d.run("key", ExitCredential, d.ok("config"), server.key, ctx)
	d.run("health", ExitServer, d.ok("config"), server.health, ctx)
	d.run("login", ExitServer, d.ok("key") && d.ok("health"), server.login, ctx)
	d.run("capabilities", ExitServer, d.ok("health"), server.capabilities, ctx)
	d.run("stream", ExitServer, d.ok("login"), server.stream, ctx)
	d.run("hook", ExitHook, d.ok("config"), func(ctx context.Context) (string, error) {
		return "", newHook(o).reachable(ctx)
	}, ctx)
	d.report.OK = d.report.ExitCode() == 0
	return d.report
}

type doctor struct{ report Report }

func (d *doctor) ok(name string) bool {
	return slices.ContainsFunc(d.report.Checks, func(c Check) bool { return c.Name == name && c.Result == CheckOK })
}

// run makes one check, unless what it needs has failed.
func (d *doctor) run(name string, exit int, able bool, check func(context.Context) (string, error), ctx context.Context) {
	c := Check{Name: name, Result: CheckSkipped, exit: exit}
	if able {
		ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
		defer cancel()
		detail, err := check(ctx)
		c.Result, c.Detail = CheckOK, detail
		if err != nil {
			c.Result, c.Detail = CheckFailed, err.Error()
		}
		if errors.Is(err, ErrLoginRefused) {
			c.exit = ExitCredential
		}
	}
	d.report.Checks = append(d.report.Checks, c)
}

// checkFiles finds what others on the machine could read, and damaged files.
func checkFiles(baseDir string) (string, error) {
	info, err := os.Stat(baseDir)
	if errors.Is(err, fs.ErrNotExist) {
		return "not there yet; the first run makes it", nil
	}
	if err != nil {
		return "", &diskError{err}
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", baseDir)
	}
	var open []string
	for _, name := range []string{"", configFile, sessionFile, stateFile, wakesDir, tokensDir} {
		path := filepath.Join(baseDir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
	}
	if open != nil {
		return "", fmt.Errorf("readable or writable by others: %s; run chmod -R go-rwx %s", strings.Join(open, ", "), baseDir)
	}
	st, err := ReadStatus(baseDir)
	if err != nil {
		return "", err
	}
	if len(st.Damaged) > 0 {
		return "", fmt.Errorf("damaged: %s", strings.Join(st.Damaged, ", "))
	}
	return "", nil
}

// serverChecks are the checks that need the server, each with what the ones before it found.
type serverChecks struct {
	opt    *Options
	client *areyouai.Client
}

func (c *serverChecks) key(context.Context) (string, error) {
	s, damaged, err := loadSession(newFolder(c.opt.BaseDir))
	if err != nil {
		return "", err
	}
	key, _ := credentials(c.opt.APIKey, c.opt.Server, s)
	if key == "" {
		return "", fmt.Errorf("no API key for this server: log in first (damaged session file: %t)", damaged)
	}
	c.client, err = areyouai.NewClient(c.opt.Server, areyouai.ClientOptions{
		HTTP: c.opt.HTTP, APIKey: key,
		Sleep: func(context.Context, time.Duration) error { return errNoStream },
	})
	return "", err
}

func (c *serverChecks) health(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.opt.Server+areyouai.PathHealth, nil)
	if err != nil {
		return "", err
	}
	resp, err := c.opt.HTTP.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return "", fmt.Errorf("%s answers %d", areyouai.PathHealth, resp.StatusCode)
	}
	return "", nil
}

func (c *serverChecks) login(ctx context.Context) (string, error) {
	_, err := c.client.Login(ctx)
	return "", loginError(err)
}

// errNoStream stands for a stream that the client would open again after a pause.
var errNoStream = errors.New("the server does not open the stream, or ends it before its hello")

// capabilities looks for what the sidecar cannot do without. What a server does not list may still be there.
func (c *serverChecks) capabilities(ctx context.Context) (string, error) {
	client, err := areyouai.NewClient(c.opt.Server, areyouai.ClientOptions{HTTP: c.opt.HTTP})
	if err != nil {
		return "", err
	}
	got, err := client.Capabilities(ctx)
	if err != nil {
		return "", err
	}
	var missing []string
	if !got.Features.AgentStream {
		missing = append(missing, "feature agent_stream")
	}
	if !got.Features.RoomScopedTokens {
		missing = append(missing, "feature room_scoped_tokens")
	}
	needed := []string{areyouai.PathAgentStream, areyouai.PathAgentStreamAck, areyouai.PathActionableRooms, areyouai.PathRoomAccessToken}
	for _, e := range got.Endpoints {
		if !e.Supported && slices.Contains(needed, e.Path) {
			missing = append(missing, e.Method+" "+e.Path)
		}
	}
	if missing != nil {
		return "", fmt.Errorf("the server lacks %s", strings.Join(missing, ", "))
	}
	return "", nil
}

// stream waits for the hello of an agent stream that begins where the sidecar stands.
func (c *serverChecks) stream(ctx context.Context) (string, error) {
	var st State
	// Without a usable file the stream begins afresh, as the sidecar's would.
	_ = newFolder(c.opt.BaseDir).read(stateFile, &st)
	stream := c.client.AgentStream(areyouai.AgentStreamOptions{Cursor: st.LastAcknowledgedDeliveryID})
	for frame, err := range stream.Frames(ctx) {
		if err != nil {
			return "", err
		}
		if hello, ok := frame.(areyouai.StreamHello); ok {
			return fmt.Sprintf("agent %s, resume status %s", hello.AgentID, hello.ResumeStatus), nil
		}
	}
	return "", errNoStream
}
