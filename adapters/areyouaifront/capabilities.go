package areyouaifront

import (
	"net/http"
	"slices"

	"stele/areyouai"
)

const hintNotOffered = "This gateway does not offer this endpoint."

// offered returns the capabilities document: the protocol's whole list, with what is not among the routes marked as
// such, so that no client is sent to a route that refuses it.
func offered(routes []route) areyouai.Capabilities {
	c := areyouai.NewCapabilities()
	has := map[string]bool{}
	for _, e := range c.Endpoints {
		has[e.Name] = slices.ContainsFunc(routes, func(r route) bool { return r.method == e.Method && r.path == e.Path })
		if !has[e.Name] && e.Supported {
			c.Disable(e.Name, hintFor(e.Path))
		}
	}
	f := &c.Features
	f.AgentStream = has["agent_stream"]
	f.EventsWebhook = has["agent_webhooks_create"]
	f.WebhookEndpoints = has["agent_webhooks_create"]
	f.RoomScopedTokens = has["room_access_token"]
	f.ViewerControls = has["room_viewers"]
	f.TypingIndicator = has["room_typing"]
	return c
}

// missing lists the protocol's routes that are not among those served.
func missing(routes []route) []route {
	var out []route
	for _, e := range offered(routes).Endpoints {
		if !e.Supported {
			out = append(out, route{method: e.Method, path: e.Path})
		}
	}
	return out
}

func (f *Front) health(*request) (int, any, error) {
	return http.StatusOK, areyouai.NewHealthReply(), nil
}

func (f *Front) mode(*request) (int, any, error) {
	return http.StatusOK, areyouai.NewModeReply(), nil
}

func (f *Front) showCapabilities(*request) (int, any, error) {
	return http.StatusOK, f.capabilities, nil
}
