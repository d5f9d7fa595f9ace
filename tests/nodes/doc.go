// Package nodes runs several gateways on one log: what is posted through one is delivered by the other, and a client may
// send each request, and each reconnect, to either.
package nodes
