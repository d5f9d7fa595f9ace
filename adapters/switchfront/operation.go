package switchfront

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"stele/adapters/transport"
	"stele/core"
	"stele/core/operations"
	"stele/internal/strictjson"
	agentswitch "stele/switch"
)

// encodeCatalog makes the answer of GET …/ops. It panics when a schema in the registry is no JSON.
func encodeCatalog(ops *operations.Registry) []byte {
	var catalog agentswitch.Catalog
	for _, d := range ops.List() {
		catalog = append(catalog, agentswitch.Operation{
			Name: d.Name, Description: d.Description, InputSchema: d.Schema,
		})
	}
	body, err := strictjson.Marshal(catalog)
	if err != nil {
		panic("switchfront: catalog of operations: " + err.Error())
	}
	return body
}

// listOperations answers GET …/ops, the same to every agent.
func (f *Front) listOperations(c echo.Context) error {
	if _, err := actingAgent(c.Request().Context(), c.Param(paramAgent)); err != nil {
		return err
	}
	write(c.Response(), http.StatusOK, agentswitch.ContentTypeJSON, f.catalog)
	return nil
}

// callOperation answers POST …/ops/{operation}. The order of its checks is the protocol's: token, body, connection,
// name of the operation, arguments, and then what the operation itself refuses.
func (f *Front) callOperation(c echo.Context) error {
	ctx := c.Request().Context()
	agent, err := actingAgent(ctx, c.Param(paramAgent))
	if err != nil {
		return err
	}
	limit := f.argumentBytes(c.Param("operation"))
	if limit > f.opts.MaxBody {
		// Only who can be in a room has a use for more, and each body is held whole.
		if conn, err := f.connectionOf(c, agent); err != nil || conn == nil {
			limit = f.opts.MaxBody
		}
	}
	body, err := f.bodyUpTo(c, limit)
	if err != nil {
		return err
	}
	args, err := arguments(body)
	if err != nil {
		return err
	}
	caller := operations.Caller{Agent: agent, Key: transport.Key(c.Request(), agent, body)}
	if caller.Connection, err = f.connectionOf(c, agent); err != nil {
		return err
	}
	if err := checkKey(c.Request()); err != nil {
		return err
	}
	result, err := f.ops.Call(ctx, c.Param("operation"), caller, args)
	if err != nil {
		return err
	}
	return answer(c, agentswitch.ResultAnswer{Result: result})
}

// argumentBytes is how long the body of an operation may be: as long as any other, unless the operation takes more.
func (f *Front) argumentBytes(operation string) int64 {
	if d, ok := f.ops.Lookup(operation); ok && d.ArgumentBytes > operations.DefaultArgumentBytes {
		return int64(d.ArgumentBytes)
	}
	return f.opts.MaxBody
}

// checkKey refuses an idempotency key that is none: ignored, it would let a repetition be a second command.
func checkKey(r *http.Request) error {
	if transport.ValidKey(r) {
		return nil
	}
	return agentswitch.Refuse(http.StatusBadRequest,
		"%s must be 1 to %d visible ASCII characters", transport.HeaderIdempotencyKey, transport.MaxKeyBytes)
}

// arguments reads the body of an operation.
func arguments(body []byte) (map[string]json.RawMessage, error) {
	args, err := agentswitch.ParseArguments(body)
	if errors.Is(err, strictjson.ErrTooLarge) {
		return nil, agentswitch.BodyTooLarge()
	}
	return args, err
}

// connectionOf returns the live connection that the request names, nil when it names none.
func (f *Front) connectionOf(c echo.Context, agent string) (*core.Connection, error) {
	id := c.Request().Header.Get(agentswitch.HeaderConnectionID)
	if id == "" {
		return nil, nil
	}
	conn, err := f.node.Connection(c.Request().Context(), agent, id)
	if err != nil {
		return nil, err
	}
	return &conn, nil
}
