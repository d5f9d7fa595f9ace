package wake

import (
	"cmp"
	"errors"
	"slices"

	"stele/areyouai"
)

// Status is what the files of a folder tell, in the form of stele wake status --json. It holds no secret.
type Status struct {
	BaseDir string `json:"base_dir"`
	// Running tells whether a sidecar holds the folder.
	Running    bool   `json:"running"`
	APIBaseURL string `json:"api_base_url"`
	// Hook is "url", "command", or empty without a configuration.
	Hook    string        `json:"hook"`
	AgentID string        `json:"agent_id"`
	Session StatusSession `json:"session"`
	Stream  StatusStream  `json:"stream"`
	// Queue holds the wakes that are not over, Done counts the turns that are.
	Queue  []StatusWake  `json:"queue"`
	Done   int           `json:"done"`
	Tokens []StatusToken `json:"room_tokens"`
	// Damaged lists files that cannot be read.
	Damaged []string `json:"damaged"`
}

// StatusSession tells which credentials there are.
type StatusSession struct {
	APIKey       bool           `json:"api_key"`
	SessionToken bool           `json:"session_token"`
	UpdatedAt    *areyouai.Time `json:"updated_at"`
}

// StatusStream is where the sidecar stands in the agent stream.
type StatusStream struct {
	Status                     StreamStatus   `json:"status"`
	LastError                  string         `json:"last_error"`
	LastConnectedAt            *areyouai.Time `json:"last_connected_at"`
	LastAcknowledgedDeliveryID string         `json:"last_acknowledged_delivery_id"`
	LastAcknowledgedAt         *areyouai.Time `json:"last_acknowledged_at"`
}

// StatusWake is one wake of the queue.
type StatusWake struct {
	RoomID    string        `json:"room_id"`
	Turn      int64         `json:"next_turn"`
	Stage     Stage         `json:"stage"`
	Round     int           `json:"round"`
	Attempts  int           `json:"attempts"`
	DueAt     areyouai.Time `json:"due_at"`
	LastError string        `json:"last_error"`
}

// StatusToken is one room token, without the token.
type StatusToken struct {
	RoomID    string        `json:"room_id"`
	ExpiresAt areyouai.Time `json:"expires_at"`
}

// ReadStatus reads a folder without changing it, also while a sidecar runs on it.
func ReadStatus(baseDir string) (Status, error) {
	f := newFolder(baseDir)
	st := Status{BaseDir: baseDir, Queue: []StatusWake{}, Tokens: []StatusToken{}, Damaged: []string{}}
	var err error
	if st.Running, err = f.inUse(); err != nil {
		return Status{}, err
	}
	r := statusReader{dir: f, st: &st}
	r.config()
	r.session()
	r.state()
	r.each(wakesDir, r.wake)
	r.each(tokensDir, r.token)
	slices.SortFunc(st.Queue, func(a, b StatusWake) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt.Time), cmp.Compare(a.RoomID, b.RoomID))
	})
	if !st.Running && st.Stream.Status != "" {
		// A sidecar that was killed could not write this down.
		st.Stream.Status = StreamStopped
	}
	return st, r.err
}

// statusReader goes on after a damaged file, which it lists, and stops at a disk that fails.
type statusReader struct {
	dir *folder
	st  *Status
	err error
}

// read reports whether a file was read into v.
func (r *statusReader) read(name string, v any) bool {
	if r.err != nil {
		return false
	}
	err := r.dir.read(name, v)
	var bad *DamagedError
	switch {
	case err == nil:
		return true
	case isMissing(err):
	case errors.As(err, &bad):
		r.st.Damaged = append(r.st.Damaged, name)
	default:
		r.err = err
	}
	return false
}

func (r *statusReader) each(sub string, read func(name string)) {
	names, err := r.dir.list(sub)
	if err != nil {
		r.err = errors.Join(r.err, err)
		return
	}
	for _, name := range names {
		read(name)
	}
}

func (r *statusReader) config() {
	var c Config
	if !r.read(configFile, &c) {
		return
	}
	r.st.APIBaseURL = c.APIBaseURL
	switch {
	case c.HookURL != "":
		r.st.Hook = "url"
	case len(c.HookCommand) > 0:
		r.st.Hook = "command"
	}
}

func (r *statusReader) session() {
	var s Session
	if !r.read(sessionFile, &s) {
		return
	}
	r.st.AgentID = s.AgentID
	r.st.Session = StatusSession{APIKey: s.APIKey != "", SessionToken: s.SessionToken != "", UpdatedAt: areyouai.TimePtr(s.UpdatedAt.Time)}
}

func (r *statusReader) state() {
	var s State
	if !r.read(stateFile, &s) {
		return
	}
	r.st.APIBaseURL = cmp.Or(s.APIBaseURL, r.st.APIBaseURL)
	r.st.AgentID = cmp.Or(s.AgentID, r.st.AgentID)
	r.st.Stream = StatusStream{
		Status: s.StreamStatus, LastError: s.LastError, LastConnectedAt: s.LastConnectedAt,
		LastAcknowledgedDeliveryID: s.LastAcknowledgedDeliveryID, LastAcknowledgedAt: s.LastAcknowledgedAt,
	}
}

func (r *statusReader) wake(name string) {
	w, err := readWake(r.dir, name)
	var bad *DamagedError
	switch {
	case errors.As(err, &bad):
		r.st.Damaged = append(r.st.Damaged, name)
	case err != nil && !isMissing(err):
		r.err = err
	case err != nil:
	case w.Stage == StageDone:
		r.st.Done++
	default:
		r.st.Queue = append(r.st.Queue, StatusWake{
			RoomID: w.RoomID, Turn: w.Turn, Stage: w.Stage, Round: w.Round, Attempts: w.Attempts, DueAt: w.DueAt,
			LastError: w.LastError,
		})
	}
}

func (r *statusReader) token(name string) {
	var t Token
	if r.read(name, &t) {
		r.st.Tokens = append(r.st.Tokens, StatusToken{RoomID: t.RoomID, ExpiresAt: t.ExpiresAt})
	}
}
