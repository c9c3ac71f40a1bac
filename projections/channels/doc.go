// Package channels has the read models of text messages: one file says what a model stores and how it
// is asked.
package channels
