// Package enginetest has a node without its API over a tiny aggregate, for the tests of
// the engine and of rebuilds.
package enginetest
