// Package platform has the operations of keys, scopes, colleagues, files and manifests.
//
// Each says its path, its requirement, its input and its output; what is the same for
// all is in the core (package rest). It decides nothing: the domain does.
package platform
