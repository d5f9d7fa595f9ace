package edgefront

import (
	"encoding/json"
	"fmt"

	"stele/adapters/transport"
	"stele/core"
	"stele/core/operations"
	"stele/edgeframes"
	"stele/edgeframes/superjson"
	"stele/internal/strictjson"
)

// keyArgument names the idempotency key among arguments that come by name. The protocol's frames have no field for one, and
// its client sends nothing again by itself; whoever calls through it may, when the answer was lost with the link.
const keyArgument = "idempotency_key"

// keyOf takes the idempotency key out of a call's arguments and binds it to what the call does; nil when there is none.
// header is the one that a request brought, empty for none.
func keyOf(g grant, op method, c edgeframes.Call, args map[string]json.RawMessage, header string) (*core.Key, error) {
	value := header
	if raw, ok := args[keyArgument]; ok {
		delete(args, keyArgument)
		var given *string
		if strictjson.Unmarshal(raw, &given) != nil {
			return nil, keyFault("must be a string")
		}
		switch {
		case given == nil:
		case header != "":
			return nil, keyFault("and the header " + transport.HeaderIdempotencyKey + " are two keys for one call")
		case *given == "":
			return nil, notAKey()
		default:
			value = *given
		}
	}
	if value == "" {
		return nil, nil
	}
	text, err := superjson.Append(nil, superjson.Array(c.Args))
	if err != nil {
		return nil, fmt.Errorf("write arguments: %w", err)
	}
	key, ok := transport.CallKey(g.caller, value, op.Name, g.room, text)
	if !ok {
		return nil, notAKey()
	}
	return key, nil
}

func notAKey() error {
	return keyFault(fmt.Sprintf("must be 1 to %d visible ASCII characters", transport.MaxKeyBytes))
}

func keyFault(what string) error {
	return &operations.ArgumentError{
		Names: []string{keyArgument}, Reason: fmt.Sprintf("argument %q %s", keyArgument, what),
	}
}
