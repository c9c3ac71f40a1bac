// Package voice has the read models of calls, their sessions and what they are set up with: one file says what a model stores and how it
// is asked.
package voice
