// Package turns lets agents of the three protocols speak in turns with each other, through one gateway over real sockets:
// each opens rooms, finds the other, learns in its own protocol's terms that it is its turn, is refused when it is not, and
// speaks until the room's turns are used. It also measures how an areyouai agent gets its word in where everybody speaks at
// once.
package turns
