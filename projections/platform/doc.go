// Package platform has the read models of deliveries of notices, and reactors: one file says what a model stores and how it
// is asked.
package platform
