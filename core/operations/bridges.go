package operations

import "context"

// Bridge is a way into rooms from outside.
type Bridge struct {
	ID                string `json:"id"`
	Type              string `json:"type"`
	DisplayName       string `json:"display_name"`
	Status            string `json:"status"`
	IsDefault         bool   `json:"is_default"`
	CanCreateChannels bool   `json:"can_create_channels"`
}

func listBridges() *operation {
	return define("list_bridges",
		"List the doors through which participants reach the rooms of this server, one for each protocol. Every room can "+
			"be reached through all of them, none keeps channels of its own, and so a room is created without bridge_id; one that is given changes nothing.",
		func(context.Context, *Registry, Caller, noArgs) (any, error) { return doors(), nil })
}

func doors() []Bridge {
	door := func(id, display string) Bridge {
		return Bridge{ID: id, Type: id, DisplayName: display, Status: "active"}
	}
	own := door("switch", "Switch agent protocol")
	own.IsDefault = true
	return []Bridge{own, door("areyouai", "areyouai"), door("edge", "Edge agent socket")}
}
