// Package voice has the read models of calls, their sessions and what they are set up with.
//
// It owns their tables: one file says what a model stores and how it is asked. It never touches a leg: reactors do.
package voice
