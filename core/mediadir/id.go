package mediadir

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"stele/core"
)

// idPrefix stands before the UUIDv7 of every id.
const idPrefix = "med_"

// parseID returns when the content with this id was stored. Only the one canonical spelling of an id is one: uuid.Parse
// alone would take others too, and each would be another file name.
func parseID(id string) (at time.Time, err error) {
	raw, ok := strings.CutPrefix(id, idPrefix)
	if !ok {
		return at, core.ErrNoMedia
	}
	u, err := uuid.Parse(raw)
	if err != nil || u.Version() != 7 || u.Variant() != uuid.RFC4122 || u.String() != raw {
		return at, core.ErrNoMedia
	}
	var ms int64
	for _, b := range u[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms).UTC(), nil
}
