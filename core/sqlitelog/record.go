package sqlitelog

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"stele/core"
)

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summer computes checksums; the buffer is used again.
type summer struct{ buf []byte }

// head is the checksum of what survives an erase. It covers the stream's name rather than its number, so that a damaged
// name is noticed too.
func (s *summer) head(r *core.Recorded) int64 {
	b := binary.LittleEndian.AppendUint64(s.buf[:0], uint64(r.Position))
	b = binary.LittleEndian.AppendUint64(b, r.Version)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.At.UnixMilli()))
	b = appendSized(b, string(r.Stream))
	b = appendSized(b, string(r.Kind))
	s.buf = append(b, r.Body...)
	return int64(int32(crc32.Checksum(s.buf, castagnoli)))
}

// content is the checksum of what an erase destroys. It covers the position, so that content in the wrong row is noticed.
func (s *summer) content(r *core.Recorded) int64 {
	b := binary.LittleEndian.AppendUint64(s.buf[:0], uint64(r.Position))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(r.Content)))
	b = append(b, r.Content...)
	s.buf = append(b, r.Receipt...)
	return int64(int32(crc32.Checksum(s.buf, castagnoli)))
}

func appendSized(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// text is a value of a TEXT column that is NULL when there is nothing.
func text(b []byte) driver.Value {
	if len(b) == 0 {
		return nil
	}
	return string(b)
}

// size is what a record weighs against [Options.RecentBytes].
func size(r *core.Recorded) int { return len(r.Body) + len(r.Content) + len(r.Receipt) }

// decoder turns rows into records and checks them.
type decoder struct{ sums summer }

// record decodes one row. The position is right whenever it could be read, also beside an error.
func (d *decoder) record(row []driver.Value) (r core.Recorded, err error) {
	position, ok := row[0].(int64)
	if !ok || position <= 0 {
		return r, fmt.Errorf("%w: position %v", errMalformed, row[0])
	}
	r.Position = core.Position(position)
	stream, ok1 := row[1].(string)
	version, ok2 := row[2].(int64)
	kind, ok3 := row[3].(string)
	at, ok4 := row[4].(int64)
	body, ok5 := row[5].([]byte)
	content, ok6 := optional(row[6])
	receipt, ok7 := optional(row[7])
	sum, ok8 := row[8].(int64)
	if !(ok1 && ok2 && ok3 && ok4 && (ok5 || row[5] == nil) && ok6 && ok7 && ok8) {
		return r, errMalformed
	}
	r.Stream, r.Version, r.Kind, r.At = core.Stream(stream), uint64(version), core.Kind(kind), time.UnixMilli(at).UTC()
	r.Body, r.Content, r.Receipt = body, content, receipt
	if d.sums.head(&r) != sum {
		return r, errChecksum
	}
	switch contentSum := row[9].(type) {
	case nil:
		r.Erased = true
		if r.Content != nil || r.Receipt != nil {
			return r, errChecksum
		}
	case int64:
		if d.sums.content(&r) != contentSum {
			return r, errChecksum
		}
	default:
		return r, errMalformed
	}
	return r, nil
}

// optional reads a value that may be NULL.
func optional(v driver.Value) (b []byte, ok bool) {
	if v == nil {
		return nil, true
	}
	b, ok = v.([]byte)
	return b, ok
}
