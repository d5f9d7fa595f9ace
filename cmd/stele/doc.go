// Command stele is the gateway and everything around it.
//
//	stele serve    run the gateway
//	stele demo     start one, let three clients of three protocols talk in it, and show what went over the wire
//
// Every flag can also be set by an environment variable: --public-url is STELE_PUBLIC_URL. A flag beats its variable.
//
// A command that could not print what it had to, because the disk was full or the reader of a pipe went away, cleans up
// and exits with 1. The first start of serve makes a registration token and shows it once; one that could not be shown
// was not made, and the next start makes another.
//
// Serve ends in order on SIGINT or SIGTERM and exits with 0: new connections are refused, streams get their protocol's
// goodbye, commands in flight are finished. A second signal ends it at once.
package main
