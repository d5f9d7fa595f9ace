// Package archive writes a room as one file and reads such files back.
//
// The file is JSON Lines. The first line says whose file it is and tells of the room, so that a person who opens it knows
// what it is; then comes one line per event of the room's log, in its own words (see [core.Entry.AppendPlain]); then, if it
// was asked for, the content of attachments in pieces; and the last line counts what came before and has its SHA-256, so that
// a file that was cut off is recognised:
//
//	{"stele":"room","format":1,"log":"…","exported_at":"…","events":412,"media":true,"room":{…}}
//	{"position":17,"version":1,"at":"…","room":"room_…","kind":"room.created","event":{…}}
//	…
//	{"stele":"media","id":"med_…","size":700000}
//	{"stele":"part","data":"…base64…"}
//	{"stele":"end","events":412,"media":1,"sha256":"…"}
//
// [Write] streams: neither the events nor the content of an attachment are in memory whole. [Read] streams content into the
// media store and keeps the events, since an import is one atomic unit. It bounds everything before it believes it.
//
// Read also takes what the three protocols show of a conversation: an areyouai transcript, the answer of the Switch
// protocol's read_context, and the messages frames of an edge socket. They know less than a log does, so what a log needs and
// they lack is made up, always in the same way: who speaks becomes a member just before, a conversation without sides has
// an open floor, and ids are derived from what is there. See docs/archive.md for what each form keeps.
//
//	hold := node.HoldMedia()
//	defer hold.Release()
//	a, err := archive.Read(ctx, file, archive.ReadOptions{Media: hold})
//	…
//	made, err := node.ImportRoom(ctx, core.ImportRoom{Events: a.Events, From: string(a.Form), Media: a.Media})
package archive
