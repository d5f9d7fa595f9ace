package transport

import (
	"io"
	"net"
	"strconv"
)

var (
	crlf      = []byte("\r\n")
	lastChunk = []byte("0\r\n\r\n")
)

// chunk is what frames a piece of a chunked body (RFC 9112, section 7.1). It is lent for one write, so that idle streams
// hold none.
type chunk struct {
	size  [18]byte
	parts [3][]byte
	out   net.Buffers
}

// writeChunk writes a piece with its frame, in one system call where w is a socket.
func (r *Recycler) writeChunk(w io.Writer, p []byte) error {
	c, ok := r.chunks.Get().(*chunk)
	if !ok {
		c = new(chunk)
	}
	c.parts = [3][]byte{append(strconv.AppendInt(c.size[:0], int64(len(p)), 16), crlf...), p, crlf}
	c.out = c.parts[:]
	_, err := c.out.WriteTo(w)
	c.parts, c.out = [3][]byte{}, nil
	r.chunks.Put(c)
	return err
}
