// Package matrix is the translation as a table: for each kind of event that a room's log can have, what each of the three
// protocols shows of it, how, to whom, why not where it does not, and which fields of it are lost on the way.
//
// The table is a description and no machinery: the fronts translate, each by itself, and tests hold the table against what
// they write. So it may be trusted, and docs/translation.md, which is made from it, too.
//
//   - [Rows] has one [Row] for each kind of a room's stream, [Elsewhere] names the kinds of other streams with the reason
//     why no room shows them.
//   - [Ephemeral] are the things that clients are shown and no log has: typing, presence, viewers.
//   - [Situations] say what happens where the protocols' ideas of a room differ, [Texts] what happens to what people write.
//   - [Markdown] writes all of it down.
//
// # Invariants
//
// A kind without a row, a frame that no row has, a row whose frame nobody writes, and a field that is lost and not listed, or
// listed and not lost, each fail a test.
//
//	row, ok := matrix.RowOf(core.MessagePosted)
//	fmt.Println(row.Switch.Frames) // [message]
package matrix
