// Package console opens the gateway's web console in Debian's Chromium, as the people do who use it, while real clients of the
// three protocols talk in the rooms that they look at.
//
// Every test has a gateway process of its own (world_test.go) and a tab with its own cookies (tab_test.go) in one browser that
// all tests share. A tab keeps a record of what goes wrong in it, which fails the test: an exception, a line of the page's policy
// about something that it refused, a request to anywhere but the gateway.
//
// Accessibility is looked at with axe-core, which npm installs (access_test.go). TestScreenshots writes the pictures of the
// documentation (make screenshots); else it is skipped.
//
// Without Chromium or npm the tests are skipped with one line, but in CI they fail.
package console
