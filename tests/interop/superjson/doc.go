// Package superjson compares this project's SuperJSON with the library itself, npm
// superjson 2.2.7 under Node: random values of each side go to the other and come back,
// unchanged and byte for byte. The library's side is driver.mjs; [Driver] starts it.
package superjson
