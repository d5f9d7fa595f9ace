// Package password keeps passwords as argon2id hashes.
//
// A hash is a text in the PHC string format, "$argon2id$v=19$m=19456,t=2,p=1$salt$hash", so that it carries its own costs:
// those of [Make] may rise while older hashes stay good.
//
//	stored, err := password.Make("correct horse")
//	ok := password.Matches(stored, "correct horse")
//
// # Invariants
//
//   - A comparison takes as long for a wrong password as for a right one, and [Matches] with no hash at all as long as with
//     one, so that nobody learns from the time whether there is such a user.
//   - The costs that a stored hash names are bounded: it cannot make the program run out of memory.
package password
