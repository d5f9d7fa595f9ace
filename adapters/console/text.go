package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"stele/core"
)

// version reads the number of an event in its room.
func version(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return 0, &core.InvalidError{Field: "version", Reason: "must be the number of an event"}
	}
	return n, nil
}

// indented lays JSON out for people, up to so many bytes.
func indented(raw []byte, most int) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw)
	}
	if b.Len() > most {
		return fmt.Sprintf("%s\n… and %d bytes more", b.Bytes()[:most], b.Len()-most)
	}
	return b.String()
}
