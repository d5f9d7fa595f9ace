// Package areyouai measures the turn-based conversation of areyouai clients through the whole gateway, on the embedded
// log and behind real sockets: how many turns a second it carries when one, a hundred and a thousand rooms talk at once,
// how long one turn takes from reading the context until the peer's agent stream wakes it, and that reading the context
// costs the same however long the room is.
package areyouai
