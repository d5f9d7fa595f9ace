package gatewayfront

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"stele/core/operations"
)

// cursor converts a place of one protocol into the same place in the others.
func (f *Front) cursor(c echo.Context) error {
	l, err := f.look(c)
	if err != nil {
		return err
	}
	var given operations.PlaceQuery
	for name, values := range c.QueryParams() {
		into := given.Named(name)
		if into == nil {
			return refuse(CodeInvalid, "there is no parameter %.100q: give exactly one of %s", name, operations.PlaceNames)
		}
		n, err := strconv.Atoi(values[0])
		if err != nil || n < 0 || len(values) > 1 {
			return refuse(CodeInvalid, "parameter %s must be one whole number from 0 on", name)
		}
		*into = &n
	}
	out, err := operations.TranslatePlace(c.Request().Context(), f.node, l.room.ID, given)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, out)
}
