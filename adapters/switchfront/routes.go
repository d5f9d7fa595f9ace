package switchfront

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	"stele/core"
	agentswitch "stele/switch"
)

// Names in a path.
const (
	paramAgent = "agent_id"
	paramRoom  = "room_id"
	paramTask  = "task_id"
	paramMedia = "media_id"
)

// refusing is the name of routes that are there only to be refused in the right words.
const refusing = "refusing"

// routes builds the router. Echo's own answers to unknown paths and methods go through failed like everything else.
func (f *Front) routes() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Logger.SetOutput(noOutput{})
	e.HTTPErrorHandler = func(err error, c echo.Context) { f.failed(c, placeRoute, err) }
	e.Use(f.guarded)

	e.GET("/health", f.at(placeRoute, f.health))
	e.GET("/version", f.at(placeRoute, f.version))
	e.GET("/deeplink/session", f.at(placeRoute, f.deeplink))
	e.GET(core.MediaPath+":"+paramMedia, f.at(placeRoute, f.linkedMedia))
	e.HEAD(core.MediaPath+":"+paramMedia, f.at(placeRoute, f.linkedMedia))
	e.POST("/agents", f.at(placeRegister, f.registerFull))
	for path, handler := range map[string]echo.HandlerFunc{
		"/agents/register-known": f.registerKnown, "/agents/register-known-bulk": f.registerBulk,
	} {
		e.POST(path, f.at(placeRegister, handler))
		// Its name would be taken for an agent's.
		for _, method := range []string{http.MethodPatch, http.MethodDelete} {
			e.Add(method, path, f.at(placeRoute, unreadable)).Name = refusing
		}
	}
	e.PATCH("/agents/:"+paramAgent, f.at(placeRoute, f.patchAgent))
	e.DELETE("/agents/:"+paramAgent, f.at(placeRoute, f.deleteAgent))
	e.GET("/agents", f.at(placeRoute, unreadable)).Name = refusing
	e.GET("/agents/:"+paramAgent, f.at(placeRoute, unreadable)).Name = refusing
	e.GET("/agents/rooms/:"+paramRoom+"/participants", f.at(placeRoute, f.participants))
	// Their names would be taken for an agent's.
	for _, path := range []string{"/agents/feature-flags", "/agents/feature-flags/:key"} {
		for _, r := range e.Any(path, f.at(placeRoute, absent)) {
			r.Name = refusing
		}
	}

	agent := e.Group("/agents/:" + paramAgent)
	// Without a longer path beside it the router would let the last name swallow what follows it.
	for _, path := range []string{"/ops/:operation/*", "/tasks/:" + paramTask + "/*"} {
		for _, r := range agent.Any(path, f.at(placeRoute, absent)) {
			r.Name = refusing
		}
	}
	agent.GET("/events", f.at(placeOpen, f.open))
	agent.GET("/notifications", f.at(placeRoute, f.pollNotifications))
	agent.GET("/rooms/:"+paramRoom+"/events", f.at(placeRoute, f.pollRoom))
	agent.POST("/connection/beat", f.at(placeConnection, f.beat))
	agent.POST("/connection/subscribe", f.at(placeConnection, f.subscribe))
	agent.POST("/connection/unsubscribe", f.at(placeConnection, f.unsubscribe))
	agent.GET("/ops", f.at(placeOperation, f.listOperations))
	agent.POST("/ops/:operation", f.at(placeOperation, f.callOperation))
	agent.POST("/message", f.at(placeMessage, f.message))
	agent.POST("/typing", f.at(placeRoute, f.typing))
	agent.POST("/status", f.at(placeRoute, f.status))
	agent.POST("/runtime-state", f.at(placeRoute, f.runtimeState))
	agent.POST("/leases/renew", f.at(placeRoute, f.renewLease))
	agent.POST("/connection/renew", f.at(placeRoute, f.renewPresence))
	agent.POST("/watch/heartbeat", f.at(placeRoute, f.watchHeartbeat))
	f.mediationRoutes(agent)
	f.taskRoutes(agent)
	agent.POST("/rooms/:"+paramRoom+"/media", f.at(placeOperation, f.postMedia))
	agent.GET("/rooms/:"+paramRoom+"/media", f.at(placeRoute, f.getMedia))
	agent.GET("/rooms/:"+paramRoom+"/history", f.at(placeRoute, f.history))
	return e
}

// unreadable answers paths that the protocol knows, but not to be read: agents are listed by an operation.
func unreadable(echo.Context) error { return echo.ErrMethodNotAllowed }

// absent answers paths that the protocol knows and this gateway does not serve.
func absent(echo.Context) error { return echo.ErrNotFound }

// at writes what a handler refuses as that place refuses it.
func (f *Front) at(p place, handler echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := handler(c); err != nil {
			f.failed(c, p, err)
		}
		return nil
	}
}

// guarded answers what a handler did not foresee. It also refuses OPTIONS, which the router would answer by itself.
func (f *Front) guarded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		defer func() {
			if v := recover(); v != nil {
				f.opts.Logger.Error("handler panicked", zap.String("route", c.Path()), zap.Any("panic", v), zap.Stack("stack"))
				if c.Response().Committed {
					// Half a response must not look whole.
					panic(http.ErrAbortHandler)
				}
				f.writeError(c.Response(), agentswitch.InternalServerError())
			}
		}()
		if c.Request().Method == http.MethodOptions {
			if c.Path() == "" {
				return echo.ErrNotFound
			}
			return echo.ErrMethodNotAllowed
		}
		return next(c)
	}
}

// failed writes an error, unless the response has begun: then it can only end.
func (f *Front) failed(c echo.Context, p place, err error) {
	if c.Response().Committed {
		return
	}
	var routing *echo.HTTPError
	switch {
	case errors.As(err, &routing) && routing.Code == http.StatusNotFound:
		err = agentswitch.NotFound()
	case errors.As(err, &routing) && routing.Code == http.StatusMethodNotAllowed:
		err = agentswitch.MethodNotAllowed()
	}
	wire := wireError(p, err)
	if wire.Status() == http.StatusInternalServerError {
		f.opts.Logger.Error("request failed", zap.String("route", c.Path()), zap.Error(err))
	}
	f.writeError(c.Response(), wire)
}

// noOutput swallows what the router would print by itself.
type noOutput struct{}

func (noOutput) Write(p []byte) (int, error) { return len(p), nil }
