// Package voice has the operations of calls: dial out, and the list of calls that the
// API names interactions.
//
// Each says its path, its requirement, its input and its output; what is the same for
// all is in the core (package rest). It decides nothing: the domain does.
package voice
