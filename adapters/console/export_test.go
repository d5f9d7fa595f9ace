package console

// RouteInfo is a route as tests see it.
type RouteInfo struct {
	Method, Path   string
	Anybody, Admin bool
}

// Routes lists everything that the console serves, but for its files.
func Routes() (out []RouteInfo) {
	c := &Console{}
	for _, r := range c.routes() {
		out = append(out, RouteInfo{r.method, Prefix + r.path, r.asks == anybody, r.asks == admin})
	}
	for _, r := range c.watchRoutes() {
		out = append(out, RouteInfo{r.method, r.path, r.asks == anybody, r.asks == admin})
	}
	return out
}

// StatusOf tells how an error is answered, and with which text if not its own.
func StatusOf(err error) (status int, text string) {
	f := statusOf(err)
	return f.status, f.text
}
