// Package contactcenter has the operations of transfers to human agents, of hooks, of
// conversations and of voicemails.
//
// Each says its path, its requirement, its input and its output; what is the same for
// all is in the core (package rest). It decides nothing: the domain does.
package contactcenter
