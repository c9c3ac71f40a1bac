// Package interop holds Parley against programs of others: generators of clients, linters
// of documents, SDKs, Kafka's own tools, a browser, a terminal. It owns how these are
// installed (tools/, pinned) and one running server for all of its tests; what they find
// is asserted here, what they are is never copied here.
//
// Its tests have the build tag interop, for they need registries on their first run:
// `make interop` runs them.
package interop
