// Package datafolder keeps what the parts of a node have in common in a folder of theirs:
// it belongs to one process at a time ([Lock]), and remembers the port on which the part
// listens.
package datafolder
