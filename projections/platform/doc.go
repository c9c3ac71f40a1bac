// Package platform has the read models of deliveries of notices, and of reactors.
//
// It owns their tables: one file says what a model stores and how it is asked. It never sends a notice: a reactor does.
package platform
