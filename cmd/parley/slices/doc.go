// Package slices lists what a node is put together from, a file for each group: its
// operations, its read models, its reactors, its effects and its timers. It starts
// nothing; cmd/parley/node does, and knows no group.
//
// What only looks at the declarations, such as the OpenAPI document or a rebuild, takes
// [Declared]: the same slices, of a node that has nothing.
package slices
