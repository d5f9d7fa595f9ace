package edge_test

import (
	"bytes"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutter stands between clients and a gateway and cuts connections, as a network does that breaks: what is on its way is
// lost.
type cutter struct {
	net.Listener
	work sync.WaitGroup

	mu     sync.Mutex
	target string
	random *rand.Rand
	// left is how many connections are still to be cut after a number of bytes; spent is closed when there are none.
	left  int
	spent chan struct{}
	open  map[*cable]bool
}

// cable is a connection through a cutter, both of its ends.
type cable struct {
	ends [2]net.Conn
	once sync.Once
}

// newCutter listens for clients of a gateway and cuts the first of their connections, each after a random number of
// bytes.
func newCutter(t *testing.T, target string, cuts int) *cutter {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	seed := rand.Uint64()
	t.Logf("the seed of the cuts is %d", seed)
	c := &cutter{
		Listener: ln, target: target, random: rand.New(rand.NewPCG(seed, 0)),
		left: cuts, spent: make(chan struct{}), open: map[*cable]bool{},
	}
	if cuts == 0 {
		close(c.spent)
	}
	c.work.Go(c.serve)
	t.Cleanup(func() {
		_ = ln.Close()
		c.cutAll()
		c.work.Wait()
	})
	return c
}

// retarget leads new connections elsewhere.
func (c *cutter) retarget(target string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.target = target
}

func (c *cutter) url() string { return "http://" + c.Addr().String() }

func (c *cutter) serve() {
	for {
		client, err := c.Accept()
		if err != nil {
			return
		}
		c.mu.Lock()
		target := c.target
		c.mu.Unlock()
		server, err := net.Dial("tcp", target)
		if err != nil {
			_ = client.Close()
			continue
		}
		link := &cable{ends: [2]net.Conn{client, server}}
		c.mu.Lock()
		c.open[link] = true
		up, down := c.budgets()
		c.mu.Unlock()
		c.work.Go(func() { c.carry(link, 0, up) })
		c.work.Go(func() { c.carry(link, 1, down) })
	}
}

// budget is how many more bytes go one way before a connection is cut.
type budget struct {
	left    int
	counted bool
	// begins, if set, is the text behind which bytes count; tail is the end of what went by, where it may have begun.
	begins, tail []byte
}

// budgets are those of a new connection. Some are cut in the handshake or what comes before hello, some later: there small
// numbers are as likely as large ones. Then a client makes progress however much it has to catch up with.
func (c *cutter) budgets() (up, down budget) {
	if c.left == 0 {
		return up, down
	}
	few := 1 << c.random.IntN(12)
	down = budget{left: few + c.random.IntN(few), counted: true}
	switch c.random.IntN(10) {
	case 0:
		up = budget{left: 1 + c.random.IntN(500), counted: true}
	case 1, 2, 3, 4, 5:
		down.begins = []byte(`"kind":"hello"`)
	}
	return up, down
}

// spend takes a piece off the budget and returns how much of it may pass, and whether that was the last.
func (b *budget) spend(piece []byte) (passes int, last bool) {
	if !b.counted {
		return len(piece), false
	}
	free := 0
	if b.begins != nil {
		seen := append(b.tail, piece...)
		at := bytes.Index(seen, b.begins)
		if at < 0 {
			b.tail = bytes.Clone(seen[max(0, len(seen)-len(b.begins)+1):])
			return len(piece), false
		}
		free = at + len(b.begins) - len(b.tail)
		b.begins = nil
	}
	passes = min(len(piece)-free, b.left)
	b.left -= passes
	return free + passes, b.left == 0
}

// carry takes bytes from one end to the other until the budget is spent or the connection ends.
func (c *cutter) carry(link *cable, end int, b budget) {
	from, to := link.ends[end], link.ends[1-end]
	piece := make([]byte, 4096)
	for {
		n, err := from.Read(piece)
		passes, last := b.spend(piece[:n])
		if passes > 0 {
			if _, werr := to.Write(piece[:passes]); err == nil {
				err = werr
			}
		}
		if last || err != nil {
			c.cut(link, last)
			return
		}
	}
}

// cut ends a connection; counts: because its budget is spent.
func (c *cutter) cut(link *cable, counts bool) {
	link.once.Do(func() {
		for _, conn := range link.ends {
			// Without this the rest would still be delivered.
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, link)
		if counts && c.left > 0 {
			if c.left--; c.left == 0 {
				close(c.spent)
			}
		}
	})
}

// cutAll cuts every connection that there is.
func (c *cutter) cutAll() {
	c.mu.Lock()
	var all []*cable
	for link := range c.open {
		all = append(all, link)
	}
	c.mu.Unlock()
	for _, link := range all {
		c.cut(link, false)
	}
}
