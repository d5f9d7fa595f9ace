// Package imports checks what the packages of the project may know of each other, and that each tells what it is for.
package imports
