// Package npm installs the packages that tests need which run under Node.
package npm
