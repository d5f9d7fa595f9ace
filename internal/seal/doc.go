// Package seal encrypts small secrets that a program has to store and later read again, such as the key that signs a
// webhook. What only has to be recognised, a password or a token, is hashed instead and does not belong here.
//
// A [Keyset] is made from configuration and seals with AES-256-GCM:
//
//	keys, err := seal.ParseKeyset("k2=…,k1=…")
//	stored, err := keys.Seal([]byte(secret), "whk_7")
//	secret, err := keys.Open(stored, "whk_7")
//
// # Stored form
//
// The result of [Keyset.Seal] is one line of ASCII:
//
//	enc:v1:<key id>:<base64url, unpadded, of 12 bytes nonce, ciphertext, 16 bytes tag>
//
// The AES key is the SHA-256 of the configured material. The additional data is everything before the last colon, a
// colon, and the owner that was named: a sealed secret that is copied to another owner's row, or is given another key
// id, does not open.
//
// # Rotation
//
// All keys of a keyset open, the first one seals. To bring in a new key, put it in front; the old one can go when nothing
// that it sealed is left. A single key without a name has the id [DefaultKeyID], so that a program which started with
// [SingleKey] goes on with "k2=…,default=…".
//
// # Invariants
//
//   - Without a key nothing is sealed and nothing opens: [ErrNoKey], never a fallback to clear text or a built-in key.
//   - The nonce comes from the system's random source and can not be chosen: a repeated one would give secrets away. With
//     random nonces one key may seal 2^32 times (NIST SP 800-38D, section 8.3).
//   - One sealed value has one spelling: Open takes no padding, no line breaks and no stray bits.
//   - No error and no formatting of a Keyset contains key material or a secret.
package seal
