package areyouaifront

import "stele/core"

// CountEncodings lets a test see each encoding that the front makes. It must be called before the front serves.
func (f *Front) CountEncodings(seen func(*core.Entry)) {
	encode := f.encode
	f.encode = func(e *core.Entry) []byte {
		seen(e)
		return encode(e)
	}
}

// OpenStreams counts the streams that are open.
func (f *Front) OpenStreams() (n int) {
	f.streams.mu.Lock()
	defer f.streams.mu.Unlock()
	for _, open := range f.streams.open {
		n += open
	}
	return n
}

// BreakEncoding makes every encoding panic.
func (f *Front) BreakEncoding(with string) {
	f.encode = func(*core.Entry) []byte { panic(with) }
}
