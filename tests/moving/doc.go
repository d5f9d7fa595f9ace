// Package moving shows that a client can change its protocol in mid-conversation, in each of the six directions that
// docs/moving.md describes, with the packages' own clients over real sockets: it misses nothing and repeats nothing.
package moving
