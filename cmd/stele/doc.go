// Command stele is the gateway and everything around it.
//
//	stele serve    run the gateway
//	stele token    make, list and revoke registration tokens
//	stele agent    list agents, rotate their keys, say who may address them, command and delete them
//	stele user     say who may sign in to the console
//	stele wake     wake a local agent when it is its turn in a room of any areyouai server
//	stele translate
//	               read a captured stream of one protocol and write the same conversation in another
//	stele tail     follow a room live in the script of any protocol
//	stele export   write a room as one JSON Lines file
//	stele import   make a room of such a file, or of what another protocol shows of a conversation
//	stele demo     start one, let three clients of three protocols talk in it, and show what went over the wire
//
// Every flag can also be set by an environment variable: --public-url is STELE_PUBLIC_URL. A flag beats its variable.
//
// How far back an agent may read after a pause is bounded by serve's --retain-events and --retain-age; the log keeps
// everything, and an agent whose cursor lies further back is told of a gap.
//
// The commands for tokens and agents work on a data folder whether or not a gateway runs on it. A gateway locks its
// folder and listens at a Unix socket in it (control.go, controlsocket.go): one request is one [control], JSON over HTTP,
// and nothing is needed to be let in but the right to write to the socket, which its user alone has. Without a gateway the
// command opens the folder itself and runs the same control in its own process. Either waits a moment for a folder that
// the other holds. A socket that a killed gateway left is replaced by the next one.
//
// A command that could not print what it had to, because the disk was full or the reader of a pipe went away, cleans up
// and exits with 1. The first start of serve makes a registration token and shows it once; one that could not be shown
// was not made, and the next start makes another. A token that token create could not show is revoked again. Secrets are
// shown once, on standard output, and never logged.
//
// Serve ends in order on SIGINT or SIGTERM and exits with 0: new connections are refused, streams get their protocol's
// goodbye, commands in flight are finished, the control socket is removed. A second signal ends it at once.
package main
