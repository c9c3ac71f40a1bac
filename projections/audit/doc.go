// Package audit reads the log as it stands in the index: for the list of events, and for
// those who follow it.
package audit
