// Package bench holds the benchmarks that need more than one package: the whole path of a command on the embedded log,
// restart, replay, and the program behind real sockets beside the ceiling of its own stack (tests/bench/floor).
//
// All numbers are ratios of two things measured in the same run; absolute times say nothing on a machine that others use.
package bench
