// Package projections is what a read model is: a Model with what it does on each event
// (On, Ignore), the Batch of rows that comes of it, and what all queries share.
//
// The read models are in the groups beside it, one file each: what it applies and how it
// is queried. engine reads the log into them, rebuild builds them anew, sink is where
// both write, audit reads the log itself, analytics keeps figures.
//
// None of them ever appends to the log, calls out, or reads a clock for what it stores:
// a rebuild from offset 0 gives the same rows.
package projections
