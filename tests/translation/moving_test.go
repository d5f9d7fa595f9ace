package translation_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"stele/internal/strictjson"
	"stele/tests/translation"
)

// cursorNames are the views' cursors, as the gateway's translation of cursors names them.
var cursorNames = map[translation.View]string{
	translation.Switch: "switch", translation.Areyouai: "areyouai",
	translation.EdgeMessages: "edge_messages", translation.EdgeEvents: "edge_events",
}

// move goes over to a protocol, which may be the same, at the place where it stands: it has the gateway translate its cursor.
// An edge client has two, of which the one that has seen more counts.
func (p *participant) move(protocol string) {
	p.world.tally.count("from " + p.protocol + " to " + protocol)
	leg := p.leave()
	p.legs = append(p.legs, leg)
	var at translation.Numbers
	for _, r := range leg.Readings {
		p.world.persist("translate a cursor of "+p.name, func(ctx context.Context) error {
			same, err := p.translate(ctx, r.View, r.Until)
			if err == nil && same.Version > at.Version {
				at = same
			}
			return err
		})
	}
	if err := p.enter(protocol, at); err != nil {
		p.fault("cannot go over to %s: %v", protocol, err)
	}
}

// translate asks the gateway for the place of a view's cursor.
func (p *participant) translate(ctx context.Context, v translation.View, cursor uint64) (translation.Numbers, error) {
	url := fmt.Sprintf("http://%s/gateway/rooms/%s/cursor?%s=%d", host, p.room, cursorNames[v], cursor)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return translation.Numbers{}, err
	}
	req.Header.Set("Authorization", "Bearer "+p.key)
	resp, err := p.world.frail.Do(req)
	if err != nil {
		return translation.Numbers{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return translation.Numbers{}, fmt.Errorf("%s: status %d, %s, %w", url, resp.StatusCode, body, err)
	}
	var same struct {
		Switch       uint64 `json:"switch"`
		EdgeEvents   uint64 `json:"edge_events"`
		EdgeMessages uint64 `json:"edge_messages"`
		Areyouai     uint64 `json:"areyouai"`
	}
	err = strictjson.Unmarshal(body, &same)
	if err == nil && same.Areyouai != same.EdgeEvents {
		p.fault("place %+v is two", same)
	}
	return translation.Numbers{Position: same.Switch, Version: same.Areyouai, Turn: same.EdgeMessages}, err
}
