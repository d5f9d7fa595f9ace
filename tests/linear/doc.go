// Package linear checks that each room behaves as if its commands happened one after another: concurrent sends, closes,
// connects and reads of the context from both sides are recorded at the clients, and a checker looks for an order that
// explains every answer. It also lets two senders race for every one of ten thousand turns.
package linear
