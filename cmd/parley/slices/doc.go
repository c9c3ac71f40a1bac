// Package slices puts what the groups declare together: the operations and the read
// models that a node has. It starts nothing; cmd/parley/node does.
package slices
