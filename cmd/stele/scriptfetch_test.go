package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// fetch writes the reply of a gateway to stdout, header first:
//
//	fetch OUT PATH [HEADER...]
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fetch out path header...")
	}
	fetchURL(ts, gatewayAt(ts, args[0])+args[1], args[2:]...)
}

// scrape does the same with a path at the address of a gateway's metrics:
//
//	scrape OUT PATH
func scrape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: scrape out path")
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "metrics at   "); ok {
			fetchURL(ts, strings.TrimSuffix(url, metricsPath)+args[1])
			return
		}
	}
	ts.Fatalf("%s names no address for metrics", args[0])
}

func fetchURL(ts *testscript.TestScript, url string, headers ...string) {
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	ts.Check(err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	out := ts.Stdout()
	fmt.Fprintln(out, resp.Status)
	for name, values := range resp.Header {
		fmt.Fprintf(out, "%s: %s\n", name, strings.Join(values, ", "))
	}
	_, err = io.Copy(out, resp.Body)
	ts.Check(err)
}
