package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// lines reads a file line by line, bounds each, counts them, and sums up all before the newest.
type lines struct {
	from *bufio.Reader
	buf  []byte
	// at is the number of the newest line, counted from 1.
	at  int
	sum hash.Hash
}

func newLines(from io.Reader) *lines {
	return &lines{from: bufio.NewReaderSize(from, 64<<10), sum: sha256.New()}
}

// next returns the next line without its end, good until the next call; io.EOF after the last. A line without an end is one
// too. It adds the line before to the sum.
func (l *lines) next() ([]byte, error) {
	// A hash takes everything.
	_, _ = l.sum.Write(l.buf)
	l.buf = l.buf[:0]
	for {
		piece, err := l.from.ReadSlice('\n')
		l.buf = append(l.buf, piece...)
		switch {
		case len(l.buf) > MaxLine:
			l.at++
			return nil, l.fail(ErrLineTooLong)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.buf) == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		default:
			l.at++
			return bytes.TrimRight(l.buf, "\r\n"), nil
		}
	}
}

// before is the checksum of all lines before the newest.
func (l *lines) before() string { return hex.EncodeToString(l.sum.Sum(nil)) }

// fail says of an error that it is the newest line's.
func (l *lines) fail(err error) error { return &LineError{Line: l.at, Err: err} }
