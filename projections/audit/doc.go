// Package audit reads the log as it stands in the index: for the list of events, and for
// those who follow it.
//
// It owns no table, and never writes: what counts was judged by the projector.
package audit
