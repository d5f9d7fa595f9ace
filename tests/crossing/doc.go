// Package crossing shows what survives the way from one protocol to another, over real sockets and with the real program: who
// an agent is at each of the three doors, how present it is there, and what becomes of the text of a message, character by
// character. A text arrives exactly as it was sent, or is refused at the door that it came to, with a reason.
//
// The package holds tests only.
package crossing
