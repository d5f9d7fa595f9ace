package testsocket

import "encoding/binary"

// Opcodes of RFC 6455, and the bit of a frame that ends its message.
const (
	OpContinue = 0x0
	OpText     = 0x1
	OpBinary   = 0x2
	OpClose    = 0x8
	OpPing     = 0x9
	OpPong     = 0xa
	Fin        = 0x80
)

// Frame is one masked frame; first is its first byte, opcode and bits.
func Frame(first byte, payload string) []byte {
	out := []byte{first}
	switch n := len(payload); {
	case n < 126:
		out = append(out, 0x80|byte(n))
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 0x80|127), uint64(n))
	}
	// A mask of zeros is a mask.
	return append(append(out, 0, 0, 0, 0), payload...)
}

// Unmasked is a frame as only servers may send it. The payload has at most 125 bytes.
func Unmasked(first byte, payload string) []byte {
	return append([]byte{first, byte(len(payload))}, payload...)
}

// Text is a whole text message in one frame.
func Text(payload string) []byte { return Frame(Fin|OpText, payload) }
