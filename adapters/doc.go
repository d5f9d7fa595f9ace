// Package adapters puts the fronts together into one gateway: one handler that finds the front for each request, and one
// server that runs it and drains it.
//
// Each front has its native paths and is also mounted below a prefix, for clients behind a shared proxy:
//
//	/v1/…, /healthz                                areyouai    also below /areyouai
//	WebSocket upgrade on /agents/{name}/{room}     edge        also below /edge
//	everything else                                Switch      also below /switch
//
// A path goes the same way however it is escaped; only an escaped slash is part of a name and no separator.
//
// The fronts do not know each other; this package is the only one that knows them all. It knows no protocol beyond the
// paths above.
//
// # Draining
//
// [Gateway.Serve] runs until its context ends, and then goes through the end in order: new connections are refused, every
// stream gets its protocol's goodbye, requests in flight finish, and only then it returns. Streams end before the HTTP
// server shuts down, since a server that waits for them first would wait for ever.
package adapters
