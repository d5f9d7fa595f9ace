// Package nginx holds the tests of the gateway behind a real nginx: the configuration that the system's package brings,
// with nothing added but a server block that passes on to the gateway.
package nginx
