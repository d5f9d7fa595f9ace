package switchfront

import (
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
