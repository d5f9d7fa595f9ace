// Package readme runs the commands of the README exactly as they stand there.
package readme
