package switchfront

import (
	"net/http"

	"github.com/labstack/echo/v4"

	agentswitch "stele/switch"
)

// health answers GET /health. Probes compare the body.
func (f *Front) health(c echo.Context) error { return answer(c, agentswitch.Health{Status: "ok"}) }

// version answers GET /version, to agents only: nothing about the version shows without a key.
func (f *Front) version(c echo.Context) error {
	if _, err := actingAgent(c.Request().Context(), ""); err != nil {
		return err
	}
	return answer(c, f.server)
}

// deeplink answers GET /deeplink/session: it hands the query on as it came, always to the same place.
func (f *Front) deeplink(c echo.Context) error {
	target := agentswitch.DeeplinkSession
	if query := c.Request().URL.RawQuery; query != "" {
		target += "?" + query
	}
	c.Response().Header().Set("Location", target)
	write(c.Response(), http.StatusFound, "", nil)
	return nil
}
