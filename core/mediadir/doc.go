// Package mediadir keeps the bytes of attachments in a directory, one file per attachment, named by its id. It implements
// [core.MediaStore].
//
//	store, err := mediadir.Open("stele-data/media", mediadir.Options{})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	media, err := store.Put(ctx, request.Body) // core.ErrMediaTooLarge
//	content, media, err := store.Open(ctx, media.ID)
//
// Content is streamed into a temporary file, counted and cut off at the cap while it is read, and gets its name only when
// it is complete and on disk; so a name always stands for whole content, and whatever fails leaves nothing. A process that
// is killed in between leaves a temporary file, which the next opening removes.
//
// # Nothing beside the file
//
// All that is known of an attachment is in its file and its name: the length is the file's, the type is sniffed again from
// the first bytes each time, and the time stands in the id, which is a UUIDv7. So there is no second place that could
// disagree.
//
// # Security
//
// An id is checked character by character before any file is touched, and every access goes through an [os.Root], so that
// neither an id nor a symbolic link leads out of the directory (CWE-22, CWE-59). Files are readable by their owner alone.
// The type is guessed by the algorithm browsers use; whoever serves content to a browser must still forbid it to guess
// again and to run what it gets.
package mediadir
