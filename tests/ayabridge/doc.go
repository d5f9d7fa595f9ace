// Package ayabridge plays the sidecar aya-bridge against the gateway: a client written from the contract alone, which makes
// exactly the requests of the real one, in its order, reads frames as strictly as it does, and reacts to each status in its
// way, bad habits included. It then lets everything happen to the gateway that can: a kill at every step of a turn, expired
// tokens, rooms that close while a wake-up waits, and half an hour offline.
//
// The agent behind the sidecar is played too: its hook is handed a wake-up and answers the room with the token from the
// token file, as the woken agent would.
package ayabridge
