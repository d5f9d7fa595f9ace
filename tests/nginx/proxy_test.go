package nginx

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// program finds nginx. Without it there is nothing to test, except where tests must not be left out.
func program(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const absent = "nginx is not installed, so the gateway is not tested behind it"
	if os.Getenv("CI") != "" {
		t.Fatal(absent)
	}
	t.Skip(absent)
	return ""
}

// stockConfig is where the package puts what nginx runs with when nobody changes anything.
const stockConfig = "/etc/nginx/nginx.conf"

// proxy is a running nginx.
type proxy struct {
	t      *testing.T
	path   string
	args   []string
	url    string
	master *os.Process
}

// startProxy runs nginx with its stock configuration and one server block, which passes everything on to an address. more
// is added to the block.
func startProxy(t *testing.T, upstream, more string) *proxy {
	t.Helper()
	path, dir := program(t), t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755), "the workers are another user")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := free.Addr().String()
	require.NoError(t, free.Close())
	config := filepath.Join(dir, "nginx.conf")
	require.NoError(t, os.WriteFile(config, []byte(configFor(t, dir)), 0o600))
	block := fmt.Sprintf("server { listen %s; location / { proxy_pass http://%s; %s } }\n", addr, upstream, more)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "site.conf"), []byte(block), 0o600))
	p := &proxy{t: t, path: path, args: []string{"-c", config, "-e", filepath.Join(dir, "error.log")}, url: "http://" + addr}
	cmd := exec.Command(path, append(p.args, "-g", "daemon off;")...)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	p.master = cmd.Process
	t.Cleanup(func() {
		require.NoError(t, p.master.Signal(syscall.SIGTERM))
		require.NoError(t, cmd.Wait())
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Logf("nginx said:\n%s", log)
		}
	})
	require.Eventually(t, func() bool {
		res, err := http.Get(p.url + "/health")
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	}, patience, 10*time.Millisecond)
	return p
}

// configFor is the stock configuration with its files in a folder of the test. Nothing that decides how requests are
// passed on is touched, and nothing in it may decide that for streams.
func configFor(t *testing.T, dir string) string {
	t.Helper()
	stock, err := os.ReadFile(stockConfig)
	require.NoError(t, err)
	text := string(stock)
	require.NotContains(t, text, "proxy_", "this is not the package's configuration")
	for from, to := range map[string]string{
		`(?m)^pid .*;`:                                "pid " + dir + "/pid;",
		`/var/log/nginx/`:                             dir + "/",
		`(?m)^\s*include /etc/nginx/conf\.d/.*;`:      "",
		`(?m)^\s*include /etc/nginx/sites-enabled.*;`: "include " + dir + "/site.conf;" + ownFolders(dir),
	} {
		pattern := regexp.MustCompile(from)
		require.Regexp(t, pattern, text)
		text = pattern.ReplaceAllLiteralString(text, to)
	}
	return text
}

// ownFolders lets an nginx that is not root buffer in the test's folder; the compiled-in ones are root's.
func ownFolders(dir string) string {
	if os.Geteuid() == 0 {
		return ""
	}
	var out strings.Builder
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&out, " %s_temp_path %s/%s;", kind, dir, kind)
	}
	return out.String()
}

// reload has nginx read its configuration again: new workers take new connections, the old ones finish what they have.
func (p *proxy) reload() {
	p.t.Helper()
	before := p.workers()
	out, err := exec.Command(p.path, append(p.args, "-s", "reload")...).CombinedOutput()
	require.NoError(p.t, err, string(out))
	require.Eventually(p.t, func() bool {
		for pid := range p.workers() {
			if _, old := before[pid]; !old {
				return true
			}
		}
		return false
	}, patience, time.Millisecond, "no new workers came")
}

// workers are the processes that serve. The value tells that the process is shutting down.
func (p *proxy) workers() map[int]bool {
	out := map[int]bool{}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", p.master.Pid))
	for _, field := range strings.Fields(string(children)) {
		var pid int
		_, _ = fmt.Sscan(field, &pid)
		title, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(title), "worker process") {
			out[pid] = strings.Contains(string(title), "shutting down")
		}
	}
	return out
}

// endOldWorkers ends the workers that are shutting down, with the streams that they still serve, as nginx does by itself
// when worker_shutdown_timeout is set. It waits until they are gone.
func (p *proxy) endOldWorkers() (ended int) {
	p.t.Helper()
	told := map[int]bool{}
	require.Eventually(p.t, func() bool {
		// A worker may learn only now that it is to end: nginx tells them one after the other.
		left := false
		for pid, old := range p.workers() {
			if !old {
				continue
			}
			left = true
			if told[pid] {
				continue
			}
			told[pid] = true
			if worker, err := os.FindProcess(pid); err == nil {
				_ = worker.Signal(syscall.SIGTERM)
			}
		}
		return !left
	}, patience, time.Millisecond, "an old worker does not end")
	return len(told)
}
