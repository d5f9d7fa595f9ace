package floor

import (
	"strconv"
	"sync"
)

// kept is how many of the newest frames readers can still take; one that is further behind loses some.
const kept = 16384

// hub keeps the newest frames and wakes the readers.
type hub struct {
	// encode makes the frame of a body, once.
	encode func(id int, body []byte) []byte
	mu     sync.RWMutex
	frames [][]byte
	head   int
	subs   map[chan struct{}]struct{}
}

func newHub(encode func(id int, body []byte) []byte) *hub {
	return &hub{encode: encode, subs: map[chan struct{}]struct{}{}}
}

// publish encodes a frame once and wakes everybody.
func (h *hub) publish(body []byte) int {
	h.mu.Lock()
	h.head++
	id := h.head
	h.frames = append(h.frames, h.encode(id, body))
	if len(h.frames) > kept {
		h.frames = h.frames[len(h.frames)-kept:]
	}
	subs := h.subs
	h.mu.Unlock()
	h.mu.RLock()
	defer h.mu.RUnlock()
	for c := range subs {
		select {
		case c <- struct{}{}:
		default:
		}
	}
	return id
}

// after appends the frames behind a cursor and returns the new cursor.
func (h *hub) after(cursor int, into [][]byte) ([][]byte, int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	n := min(h.head-cursor, len(h.frames))
	return append(into, h.frames[len(h.frames)-n:]...), h.head
}

func (h *hub) subscribe() (wake chan struct{}, cursor int, cancel func()) {
	wake = make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs[wake] = struct{}{}
	return wake, h.head, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, wake)
	}
}

func plainText(_ int, body []byte) []byte { return body }

func sseFrame(id int, body []byte) []byte {
	b := append([]byte("id: "), strconv.Itoa(id)...)
	b = append(b, "\nevent: message\ndata: "...)
	b = append(b, body...)
	return append(b, "\n\n"...)
}
