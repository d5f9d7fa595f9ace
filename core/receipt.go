package core

import (
	"encoding/json"
	"fmt"

	"stele/internal/strictjson"
)

// Key is an idempotency key: the same agent, key and body get the same answer, however often and however late the
// command is sent again.
type Key struct {
	// Agent scopes the key.
	Agent string
	// Value is what the client chose.
	Value string
	// BodyHash is a hash of what the client asked for; the same key with another hash is refused with [ErrKeyReused].
	BodyHash string
}

func (k *Key) scope() string { return k.Agent + "\x00" + k.Value }

// Receipt is a key with the answer it got, stored with the command's first event.
type Receipt struct {
	Agent   string          `json:"agent"`
	Key     string          `json:"key"`
	Hash    string          `json:"hash"`
	Version uint64          `json:"version"`
	Result  json.RawMessage `json:"result"`
}

func (r Receipt) scope() string { return r.Agent + "\x00" + r.Key }

func (k *Key) receipt(result any, version uint64) (Receipt, []byte, error) {
	raw, err := strictjson.Marshal(result)
	if err != nil {
		return Receipt{}, nil, fmt.Errorf("encode answer: %w", err)
	}
	r := Receipt{Agent: k.Agent, Key: k.Value, Hash: k.BodyHash, Version: version, Result: raw}
	encoded, err := strictjson.Marshal(r)
	if err != nil {
		return Receipt{}, nil, fmt.Errorf("encode receipt: %w", err)
	}
	return r, encoded, nil
}

func receiptOf(rec *Recorded) (Receipt, bool) {
	if len(rec.Receipt) == 0 {
		return Receipt{}, false
	}
	var r Receipt
	if err := strictjson.UnmarshalLimits(rec.Receipt, &r, storedLimits); err != nil {
		return Receipt{}, false
	}
	return r, true
}

func reviveAs[R any](result []byte) (any, error) {
	var r R
	if err := strictjson.UnmarshalLimits(result, &r, storedLimits); err != nil {
		return nil, fmt.Errorf("decode stored answer: %w", err)
	}
	return r, nil
}
