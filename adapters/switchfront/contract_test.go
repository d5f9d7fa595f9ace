package switchfront_test

import (
	"bytes"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/switchfront"
	"stele/core/operations"
	"stele/internal/openapi"
)

var update = flag.Bool("update", false, "write the OpenAPI document anew")

// contract is the description of the routes, made once.
var contract = sync.OnceValues(func() (*openapi.Checker, error) {
	return openapi.NewChecker(switchfront.Contract("test", operations.Catalog()))
})

// TestOpenAPIDocument: what stands in docs is what the code says.
func TestOpenAPIDocument(t *testing.T) {
	got, err := switchfront.Contract("1", operations.Catalog()).YAML()
	require.NoError(t, err)
	file := filepath.Join("..", "..", "docs", "openapi", "switch.yaml")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go test ./adapters/switchfront -run TestOpenAPIDocument -update")
}

// TestEveryRouteIsDescribed: no more and no fewer than there are.
func TestEveryRouteIsDescribed(t *testing.T) {
	g := newGateway(t, setup{})
	var routed []string
	for _, r := range g.front.Routes() {
		path := r
		for _, name := range []string{"agent_id", "room_id", "operation", "task_id", "media_id"} {
			path = strings.ReplaceAll(path, ":"+name, "{"+name+"}")
		}
		routed = append(routed, path)
	}
	var described []string
	for _, e := range switchfront.Contract("test", operations.Catalog()).Endpoints {
		if name, ok := strings.CutPrefix(e.Path, "/agents/{agent_id}/ops/"); ok && name != "{operation}" {
			continue
		}
		described = append(described, e.Method+" "+e.Path)
	}
	slices.Sort(routed)
	slices.Sort(described)
	require.Equal(t, routed, described)
	for _, name := range operations.Catalog() {
		c, err := contract()
		require.NoError(t, err)
		e, ok := c.Find(http.MethodPost, "/agents/a/ops/"+name.Name)
		require.True(t, ok)
		require.NotContains(t, e.Path, "{operation}")
	}
}

// described checks each answer that a test's gateway gives, but for streams, against the description of its route.
func described(t testing.TB, next http.Handler) http.Handler {
	t.Helper()
	c, err := contract()
	require.NoError(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, ok := c.Find(r.Method, r.URL.Path)
		if !ok || strings.Contains(r.Header.Get("Accept"), "text/event-stream") || strings.HasSuffix(e.Path, "/media") && r.Method == http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		status, body := rec.Code, bytes.Clone(rec.Body.Bytes())
		if err := c.Check(r.Method, r.URL.Path, status, rec.Header().Get("Content-Type"), body); err != nil && status != http.StatusInternalServerError {
			t.Errorf("the description of the routes is wrong: %v", err)
		}
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}
