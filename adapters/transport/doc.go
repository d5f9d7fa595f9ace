// Package transport is what the HTTP side of the fronts shares: reading a request within bounds, and writing a stream of
// server-sent events to a client of unknown speed.
//
// It knows HTTP and the few core types that a request turns into; it knows no protocol. The fronts know it, it knows no
// front.
//
// # Requests
//
// [ReadBody] reads a body of bounded size. [Bearer] takes a bearer token out of the Authorization header and [ClientIP]
// tells who is on the other end of the connection. [Window] counts what somebody does in a span of time, [Places]
// what is open at a time, and [Guesses] codes that were wrong. [Key] makes the idempotency key of a writing request from its
// Idempotency-Key header; [ValidKey] tells whether the header, if there is one, can be such a key.
//
// # Event streams
//
// A front sends its headers and hands the [http.ResponseWriter] to [NewEventStream]. From then on it gathers everything
// that lies behind its reader's cursor into one buffer of a [Buffers] pool and gives it to [EventStream.Write], which
// writes and flushes once:
//
//	es, err := transport.NewEventStream(w, r, transport.EventStreamOptions{})
//	if err != nil {
//		return err
//	}
//	defer es.Close()
//	for {
//		es.Pace()
//		entries, err := reader.Read(ctx, 256, entries[:0])
//		// … append the frames of entries to buf, then:
//		if err := es.Write(buf); err != nil {
//			return nil // the client is gone
//		}
//		select {
//		case <-reader.Wake():
//		case <-es.Idle():
//			err = es.KeepAlive()
//		case <-es.Context().Done():
//		}
//	}
//
// A front whose streams are many and mostly idle does the same in turns: [EventStream.Attend] has an [Attendant] called
// whenever there may be something to do, and on a server with a [Recycler] an idle stream then holds neither the goroutine
// and the request of its handler nor any buffer.
//
// # Invariants
//
//   - A stream has no deadline as a whole. Each bounded piece of a write has one, so that a client which takes nothing
//     for [EventStreamOptions.ProgressTimeout] loses its stream and holds no memory, and one that is merely slow keeps it.
//   - Nothing is compressed and nothing waits in a buffer after Write returned.
//   - No request header but the connection itself tells who the client is.
package transport
