package areyouaifront

import (
	"net/http"

	"stele/adapters/transport"
)

// addressOf is what the limits per address take for the client's address.
func addressOf(r *http.Request) string { return transport.ClientNetwork(r) }
