package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters"
	"stele/core"
	"stele/core/sqlitelog"
)

// socketStream is what a target's sockets need beside their upgrade.
type socketStream struct {
	// mark is what each message on the wire has once.
	mark []byte
	// open does what comes between the upgrade and the first message on the socket of a reader.
	open func(conn net.Conn, from *bufio.Reader, reader int) error
}

const upgrade = "GET %s HTTP/1.1\r\nHost: stele\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

// clientText is a text message as a client sends it (RFC 6455, section 5.2), masked with zeros, for texts below 64 KiB.
func clientText(text string) []byte {
	const fin, textFrame, masked, twoBytes = 0x80, 1, 0x80, 126
	out := []byte{fin | textFrame}
	if len(text) < twoBytes {
		out = append(out, masked|byte(len(text)))
	} else {
		out = binary.BigEndian.AppendUint16(append(out, masked|twoBytes), uint16(len(text)))
	}
	return append(append(out, 0, 0, 0, 0), text...)
}

// attachText is the first frame of a client that wants some streams.
func attachText(token, subscribe string) string {
	return fmt.Sprintf(`{"json":{"v":2,"kind":"attach","token":%q,"subscribe":[%s]}}`, token, subscribe)
}

// attachSocket attaches and reads up to hello, byte by byte: nothing behind it is taken.
func attachSocket(conn io.Writer, from io.ByteReader, token, subscribe string) error {
	if _, err := conn.Write(clientText(attachText(token, subscribe))); err != nil {
		return err
	}
	var seen strings.Builder
	for !strings.HasSuffix(seen.String(), `"kind":"hello"}}`) {
		c, err := from.ReadByte()
		if err != nil {
			return fmt.Errorf("before hello: %w after %q", err, seen.String())
		}
		seen.WriteByte(c)
	}
	return nil
}

// floorSockets is the bare fan-out with a number of sockets.
func floorSockets(b *testing.B, readers int) target {
	t := floorTarget(b, 0)
	t.socket = &socketStream{mark: []byte(`{"body":"`), open: func(net.Conn, *bufio.Reader, int) error { return nil }}
	for range readers {
		t.readers = append(t.readers, fmt.Sprintf(upgrade, "/ws"))
	}
	return t
}

// gatewaySockets is the gateway on the embedded log: one room with a number of sockets that subscribe to some streams,
// each of a member of its own, and posters, who are members too and call over HTTP.
func gatewaySockets(b *testing.B, readers, posters int, subscribe string) target {
	log, err := sqlitelog.Open(b.TempDir(), sqlitelog.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	n, err := core.Open(b.Context(), log, core.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, n.Close(context.Background())) })
	url, addr := listen(b, adapters.New(n, adapters.Options{}).Serve)

	cmd := core.CreateRoom{Facts: core.RoomFacts{Name: "bench"}}
	agents := make([]core.Registered, readers+posters)
	for i := range agents {
		name := fmt.Sprintf("agent-%d", i)
		agents[i], err = n.Register(b.Context(), core.Registration{Agent: core.Agent{Name: name, Handle: name}})
		require.NoError(b, err)
		cmd.Members = append(cmd.Members, core.NewMember{Agent: agents[i].Agent.ID, Name: name, Handle: name})
	}
	made, _, err := n.CreateRoom(b.Context(), cmd, nil)
	require.NoError(b, err)
	path := "/agents/agent-0/" + made.Room
	t := target{name: "gateway", addr: addr, socket: &socketStream{
		mark: []byte(`"appended":[`),
		open: func(conn net.Conn, from *bufio.Reader, reader int) error {
			return attachSocket(conn, from, agents[reader].Key, subscribe)
		},
	}}
	for range readers {
		t.readers = append(t.readers, fmt.Sprintf(upgrade, path))
	}
	t.post = func(client int) func(string) error {
		return poster(url+path+"/rpc/post_message", http.Header{
			"Content-Type": {"application/json"}, "Authorization": {"Bearer " + agents[readers+client].Key},
		}, func(text string) []byte { return []byte(`["` + text + `"]`) })
	}
	return t
}

// BenchmarkSockets delivers as much as possible to the sockets of one room, from 64 posting clients at once. The budget is
// for sockets that follow the messages, which is one frame for each; those that follow every stream get three.
func BenchmarkSockets(b *testing.B) {
	const posters = 64
	for _, c := range []struct {
		name              string
		sockets, messages int
		subscribe         string
		least             float64
	}{
		{"100", 100, 8_000, `"messages"`, minSaturated},
		{"1000", crowd, 1_500, `"messages"`, minSaturated},
		{"100/every-stream", 100, 4_000, everyStream, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			var sum [2]float64
			for range b.N {
				sum[0] += saturate(b, floorSockets(b, c.sockets), posters, c.messages)
				sum[1] += saturate(b, gatewaySockets(b, c.sockets, posters, c.subscribe), posters, c.messages)
			}
			report(b, "deliveries/s", sum, c.least)
		})
	}
}
