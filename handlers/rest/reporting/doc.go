// Package reporting has the operations that answer how things went: analytics, call
// details, dashboards and exports of search indexes.
//
// Each says its path, its requirement, its input and its output; what is the same for
// all is in the core (package rest). It decides nothing: the domain does.
package reporting
