package wake

import (
	"net/http"
	"time"

	"stele/areyouai"
)

// resume decides about a cursor as section 8.3 has it.
func (s *fakeServer) resume(cursor string) areyouai.ResumeStatus {
	if s.always {
		return areyouai.ResumeReplayRequired
	}
	if cursor == "" {
		return areyouai.ResumeFresh
	}
	for _, d := range s.inbox {
		if d.frame.Delivery() == cursor && d.acked && !d.expired {
			return areyouai.ResumeOK
		}
	}
	return areyouai.ResumeReplayRequired
}

func (s *fakeServer) stream(w http.ResponseWriter, r *http.Request) {
	areyouai.SetStreamHeaders(w.Header())
	send := func(f areyouai.AgentFrame) {
		b, _ := areyouai.AppendAgentFrame(nil, f)
		_, _ = w.Write(b)
		w.(http.Flusher).Flush()
	}
	_, _ = w.Write([]byte(areyouai.StreamPreamble))
	cursor := r.URL.Query().Get("last_delivery_id")
	s.mu.Lock()
	status, closing := s.resume(cursor), s.closing
	s.mu.Unlock()
	send(areyouai.NewStreamHello(s.agent, status, cursor, time.Now()))
	if status == areyouai.ResumeReplayRequired {
		send(areyouai.NewReplayRequired(s.agent))
		return
	}
	sent := map[string]bool{}
	for {
		s.mu.Lock()
		changed, alive := s.changed, s.sessions[bearer(r)]
		var due []areyouai.AgentFrame
		for _, d := range s.inbox {
			if !d.acked && !d.expired && !sent[d.frame.Delivery()] {
				due = append(due, d.frame)
				sent[d.frame.Delivery()] = true
			}
		}
		s.mu.Unlock()
		if !alive {
			send(areyouai.NewReloginRequired(s.agent))
			return
		}
		for _, f := range due {
			if s.poison != "" {
				_, _ = w.Write([]byte(s.poison))
			}
			send(f)
		}
		select {
		case <-changed:
		case <-closing:
			return
		case <-r.Context().Done():
			return
		case <-time.After(areyouai.KeepaliveInterval):
			_, _ = w.Write([]byte(areyouai.StreamKeepalive))
			w.(http.Flusher).Flush()
		}
	}
}
