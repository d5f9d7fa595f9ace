package agentswitch

// Waiting returns how many frames a session holds for its caller.
func Waiting(s *Session) int { return len(s.room) }

// Reading tells whether a session waits for its server.
func Reading(s *Session) bool { return s.reading.Load() != 0 }
