// Package access has the read models of tenants, projects, clients, keys, scopes and colleagues: one file says what a model stores and how
// it
// is asked.
package access
