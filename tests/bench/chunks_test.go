package bench

import (
	"bufio"
	"sync/atomic"
)

// chunks takes a chunked body apart (RFC 9112, section 7.1): a chunk may begin in the middle of a frame.
type chunks struct {
	from  *bufio.Reader
	left  int
	count atomic.Int64
}

func (c *chunks) Read(p []byte) (int, error) {
	for c.left == 0 {
		line, err := c.from.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		for _, digit := range line {
			switch {
			case digit >= '0' && digit <= '9':
				c.left = c.left<<4 + int(digit-'0')
			case digit >= 'a' && digit <= 'f':
				c.left = c.left<<4 + int(digit-'a') + 10
			}
		}
		if c.left > 0 {
			c.count.Add(1)
		}
	}
	n, err := c.from.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
