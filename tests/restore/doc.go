// Package restore puts a backup back in place of the data and asks, over all three protocols, with cursors from the life
// that was lost: each must be answered in its protocol's own word, and nothing may be skipped in silence.
package restore
