// Package isotime reads times in ISO 8601 in the forms in which people, programs and language models write them.
//
//	at, ok := isotime.Parse("2026-01-31 12:30")
package isotime
