// Package access has the read models of tenants, projects, clients, keys, scopes and colleagues.
//
// It owns their tables: one file says what a model stores and how it is asked. It never judges who may do what: that is
// package access of the domain and handlers/rest.
package access
