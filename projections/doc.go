// Package projections builds the read models from the log and answers the queries
// on them.
//
// It owns the projector (one worker for each partition this node holds a lease
// on: it reads, arbitrates, and writes the stream index, every read model and its
// checkpoint in ONE transaction), the waiting for positions, and the gate that
// keeps everything shut until the read models have caught up with the log. Each
// read model is one file: what it applies (On) and how it is queried.
//
// It never appends to the log, never calls out, and never reads a clock for what
// it stores: a rebuild from offset 0 gives the same rows.
package projections
