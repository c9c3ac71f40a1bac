// Package campaigns has the operations of campaigns and of their runs.
//
// Each says its path, its requirement, its input and its output; what is the same for
// all is in the core (package rest). It decides nothing: the domain does.
package campaigns
