// Package program builds this project's program and runs it as a process of its own, as its users do.
package program
