package edgefront

import (
	"time"

	"stele/adapters/transport"
)

// strangerWait is when one who found no place may come back: nobody knows when another leaves.
const strangerWait = 30 * time.Second

// takePlace counts the session in, which keeps its place until it is released, unless its client is a member.
func (s *session) takePlace() error {
	if s.grant.member {
		return nil
	}
	leave, ok := s.front.strangers.Enter(transport.ClientNetwork(s.request))
	if !ok {
		return limited(errManyOpen, "too many connections", strangerWait)
	}
	s.vacate = leave
	return nil
}
