// Package floor is the ceiling of our stack: a bare Echo server that fans out what is posted, over server-sent events and
// WebSocket, without storage, identity or protocol. It does what any good fan-out does and nothing else: an event is
// encoded once, readers are woken by a one-slot signal, and each takes all that is behind its cursor in one gathered
// write. The gateway's benchmarks run beside it in the same run and are stated as ratios to it.
package floor
