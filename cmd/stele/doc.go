// Command stele is the gateway and everything around it.
//
//	stele serve    run the gateway
//	stele demo     start one, let three clients of three protocols talk in it, and show what went over the wire
//
// Every flag can also be set by an environment variable: --public-url is STELE_PUBLIC_URL. A flag beats its variable.
//
// Serve ends in order on SIGINT or SIGTERM and exits with 0: new connections are refused, streams get their protocol's
// goodbye, commands in flight are finished. A second signal ends it at once.
package main
