package edgefront

import (
	"encoding/binary"
	"math"
	"net"
)

// The bits of a frame's first two bytes (RFC 6455, section 5.2). A server's frames are not masked.
const (
	finBit     = 0x80
	opcodeBits = 0x0F
	opText     = 0x1
	opClose    = 0x8
	// Lengths above shortFrame follow the two bytes, in two bytes or in eight.
	shortFrame  = 125
	mediumFrame = 126
	longFrame   = 127
)

// appendText adds a text message of one frame.
func appendText(dst, text []byte) []byte {
	switch n := len(text); {
	case n <= shortFrame:
		dst = append(dst, finBit|opText, byte(n))
	case n <= math.MaxUint16:
		dst = binary.BigEndian.AppendUint16(append(dst, finBit|opText, mediumFrame), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, finBit|opText, longFrame), uint64(n))
	}
	return append(dst, text...)
}

// closes tells whether what the library writes is a close frame. It writes each control frame at once, as its buffer has
// room for the largest, and no other frames.
func closes(p []byte) bool { return len(p) > 0 && p[0]&opcodeBits == opClose }

// writeText writes a text message, or adds it to the batch. It fails once a close frame was written. Only the session's
// goroutine calls it, so that nothing is being sent meanwhile but control frames.
func (g *gatherConn) writeText(text []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.err != nil:
		return g.err
	case g.closing:
		return net.ErrClosed
	}
	if g.waiting == nil {
		g.waiting = g.buffers.Get()
	}
	*g.waiting = appendText(*g.waiting, text)
	if g.held || g.sending {
		return nil
	}
	return g.drain()
}
