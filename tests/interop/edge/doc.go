// Package edge drives the gateway's program with clients of the agent socket protocol that are not this project's: one on
// npm ws and superjson under Node (client.mjs), which behaves as the protocol's own client is documented to, and the same
// one on a browser's WebSocket, beside its EventSource, in a page (page.html).
//
// The scenarios (scenarios.mjs and one file for each part of the protocol) run all at once in one process, each in a
// conversation of its own. What needs somebody between client and gateway is here: cut_test.go cuts connections after random
// numbers of bytes.
//
// Without Node or Chromium the tests are skipped with one line, but in CI they fail.
package edge
