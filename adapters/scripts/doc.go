// Package scripts writes and reads one conversation in any of its scripts: the log's own words and the three wire formats.
//
// A front writes to a client of its own; this package is for everybody who looks at a conversation from outside: the inspector,
// stele tail, stele translate. What it writes is made by the fronts' own encoders, so that it is the very bytes that a client
// would get.
//
//	enc, err := scripts.NewEncoder(scripts.Switch, scripts.Options{Self: "agt_1"})
//	text, err := enc.Append(nil, entry)
//
// # Residue
//
// No script can say all that another one says. What it leaves out is written before the event as a comment line of that
// script, as far as [Options].Comments asks for it: the residue. A decoder reads it back, so that a conversation goes from any
// script to any other and back without losing anything. Without the comments, what is lost is exactly what the matrix lists.
package scripts
