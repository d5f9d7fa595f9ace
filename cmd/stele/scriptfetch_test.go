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
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, gatewayAt(ts, args[0])+args[1], nil)
	ts.Check(err)
	for _, h := range args[2:] {
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
