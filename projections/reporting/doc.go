// Package reporting has the read models of dashboards, search indexes, exports and files.
//
// It owns their tables: one file says what a model stores and how it is asked. It never judges how a
// session ended: that is domain/reporting.
package reporting
