package scripts

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads a text line by line.
type lines struct {
	src *bufio.Reader
	buf []byte
	// number is that of the newest line, from 1.
	number int
}

func newLines(r io.Reader) *lines { return &lines{src: bufio.NewReader(r)} }

var byteOrderMark = []byte("\ufeff")

// next returns the next line without its end and without white space around it, valid until the next call. The last line needs
// no end. Errors: io.EOF, *[LineError], and the reader's.
func (l *lines) next() ([]byte, error) {
	l.buf = l.buf[:0]
	l.number++
	for {
		part, err := l.src.ReadSlice('\n')
		l.buf = append(l.buf, part...)
		switch {
		case len(l.buf) > maxUnit:
			return nil, &LineError{Line: l.number, Err: errTooLong}
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(l.buf) > 0, err == nil:
			line := l.buf
			if l.number == 1 {
				line = bytes.TrimPrefix(line, byteOrderMark)
			}
			return bytes.Trim(line, " \t\r\n"), nil
		default:
			return nil, err
		}
	}
}
