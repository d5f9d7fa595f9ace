package areyouaifront_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"stele/adapters/areyouaifront"
	"stele/areyouai"
	"stele/internal/openapi"
)

// contract is the description of the routes, made once.
var contract = sync.OnceValues(func() (*openapi.Checker, error) {
	return openapi.NewChecker(areyouaifront.Contract("test"))
})

// TestOpenAPIDocument: what stands in docs is what the code says.
func TestOpenAPIDocument(t *testing.T) {
	got, err := areyouaifront.Contract("1").YAML()
	require.NoError(t, err)
	file := filepath.Join("..", "..", "docs", "openapi", "areyouai.yaml")
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go test ./adapters/areyouaifront -run TestOpenAPIDocument -update")
}

// TestEveryRouteIsDescribed: no more and no fewer than there are.
func TestEveryRouteIsDescribed(t *testing.T) {
	g := newGate(t, hookOptions(t, firstKey))
	routed := []string{"GET /healthz"}
	for _, r := range g.front.Routes() {
		if method, _, _ := strings.Cut(r, " "); method == http.MethodHead {
			continue
		}
		if r == "GET /v1/admin/{id}" {
			routed = append(routed, "GET "+areyouai.PathAdminOverview, "GET "+areyouai.PathAdminRooms, "GET "+areyouai.PathAdminAudit)
			continue
		}
		routed = append(routed, r)
	}
	var described []string
	for _, e := range areyouaifront.Contract("test").Endpoints {
		described = append(described, e.Method+" "+e.Path)
	}
	slices.Sort(routed)
	slices.Sort(described)
	require.Equal(t, routed, described)
}

// maxChecked bounds the answers that are checked: the pages of megabytes that some tests ask for have the form of the others,
// and would take the race detector minutes.
const maxChecked = 1 << 20

// described checks each answer that a test's gateway gives, but for streams, against the description of its route.
func described(t testing.TB, next http.Handler) http.Handler {
	t.Helper()
	c, err := contract()
	require.NoError(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, ok := c.Find(r.Method, strings.TrimRight(r.URL.Path, "/"))
		if !ok || strings.HasSuffix(e.Path, "/events") || strings.HasSuffix(e.Path, "/viewer-events") || e.Path == areyouai.PathAgentStream {
			next.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		status, body := rec.Code, bytes.Clone(rec.Body.Bytes())
		var err error
		if len(body) <= maxChecked {
			err = c.Check(r.Method, strings.TrimRight(r.URL.Path, "/"), status, rec.Header().Get("Content-Type"), body)
		}
		if err != nil && status != http.StatusInternalServerError {
			t.Errorf("the description of the routes is wrong: %v", err)
		}
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
}
