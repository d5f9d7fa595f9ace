package wake

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Config is config.json, what init remembers. Empty fields mean the defaults of [Options].
type Config struct {
	APIBaseURL  string   `json:"api_base_url"`
	HookURL     string   `json:"hook_url,omitempty"`
	HookToken   string   `json:"hook_token,omitempty"`
	HookCommand []string `json:"hook_command,omitempty"`
	HookTimeout string   `json:"hook_timeout,omitempty"`
	Idle        string   `json:"idle,omitempty"`
	Drain       string   `json:"drain,omitempty"`
	Parallel    int      `json:"parallel,omitempty"`
}

// ErrExists is the error of an init that would replace a configuration.
var ErrExists = errors.New("wake: there is a configuration already")

// configOf is the form in which options are kept. The API key belongs to the session, not here.
func configOf(o Options) Config {
	text := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	return Config{
		APIBaseURL: o.Server, HookURL: o.HookURL, HookToken: o.HookToken, HookCommand: o.HookCommand,
		HookTimeout: text(o.HookTimeout), Idle: text(o.Idle), Drain: text(o.Drain), Parallel: o.Parallel,
	}
}

// SaveConfig writes the options of a sidecar to its folder, which it makes. It replaces earlier ones only if told to.
func SaveConfig(o Options, replace bool) error {
	if err := o.Validate(); err != nil {
		return err
	}
	f := newFolder(o.BaseDir)
	if err := f.make(); err != nil {
		return err
	}
	if _, err := os.Lstat(f.path(configFile)); err == nil && !replace {
		return ErrExists
	}
	return f.write(configFile, configOf(o))
}

// LoadConfig reads what init wrote. A folder without it yields the options of the zero value and false; a file that
// cannot be used is a *ConfigError.
func LoadConfig(baseDir string) (o Options, found bool, err error) {
	o.BaseDir = baseDir
	var c Config
	err = newFolder(baseDir).read(configFile, &c)
	if errors.Is(err, fs.ErrNotExist) {
		return o, false, nil
	}
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		return o, true, &ConfigError{cause: err}
	}
	if err != nil {
		return o, false, err
	}
	o.Server, o.HookURL, o.HookToken = c.APIBaseURL, c.HookURL, c.HookToken
	o.HookCommand, o.Parallel = c.HookCommand, c.Parallel
	for _, d := range [...]struct {
		text string
		to   *time.Duration
	}{{c.HookTimeout, &o.HookTimeout}, {c.Idle, &o.Idle}, {c.Drain, &o.Drain}} {
		if d.text == "" {
			continue
		}
		if *d.to, err = time.ParseDuration(d.text); err != nil {
			return o, true, &ConfigError{cause: err}
		}
	}
	return o, true, nil
}

// DefaultBaseDir is the folder that systemd made for the service, else .stele-wake in the user's home. Empty without
// either.
func DefaultBaseDir(getenv func(string) string) string {
	if dir := getenv("STATE_DIRECTORY"); dir != "" {
		return dir
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".stele-wake")
	}
	return ""
}
