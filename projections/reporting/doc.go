// Package reporting has the read models of dashboards, search indexes, exports and files: one file says what a model stores and how it
// is asked.
package reporting
