// Package audit has the operations that show the log itself: the list of events, and
// the stream that follows it.
//
// Each says its path, its requirement, its input and its output; what is the same for
// all is in the core (package rest). It decides nothing: the domain does.
package audit
