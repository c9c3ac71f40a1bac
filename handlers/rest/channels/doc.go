// Package channels has the operations of channels: the list of text messages, and what
// the providers of channels call.
//
// Each says its path, its requirement, its input and its output; what is the same for
// all is in the core (package rest). It decides nothing: the domain does.
package channels
