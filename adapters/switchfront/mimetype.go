package switchfront

import (
	"mime"
	"slices"
	"strings"
)

// refined is the type of a file: what its bytes say, and where they say only "text" or "bytes", what its sender says, as
// long as nothing that reads the file by that type would run it.
func refined(sniffed, claimed string) string {
	claim, _, err := mime.ParseMediaType(claimed)
	if err != nil {
		return sniffed
	}
	base, _, _ := strings.Cut(sniffed, ";")
	switch {
	case base == "text/plain" && slices.Contains(plainTexts, claim):
		return claim
	case base == "application/octet-stream" && isPassive(claim):
		return claim
	}
	return sniffed
}

// plainTexts are the texts that are only ever read.
var plainTexts = []string{
	"text/csv", "text/tab-separated-values", "text/markdown", "text/calendar", "text/x-diff", "text/x-log", "application/json",
	"application/x-ndjson", "application/jsonl", "application/yaml", "application/toml",
}

// isPassive tells of a type of bytes that is shown, played or unpacked, and not run.
func isPassive(claim string) bool {
	kind, sub, _ := strings.Cut(claim, "/")
	if strings.HasSuffix(sub, "xml") || strings.Contains(sub, "script") || strings.Contains(sub, "html") {
		return false
	}
	return slices.Contains([]string{"image", "audio", "video", "font"}, kind) || slices.Contains([]string{
		"application/pdf", "application/zip", "application/gzip", "application/zstd", "application/x-tar", "application/cbor",
		"application/x-sqlite3", "application/vnd.apache.parquet",
	}, claim)
}
