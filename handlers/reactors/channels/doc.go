// Package channels hands what we say to the providers of channels and notes what became
// of it. Today that is text messages.
package channels
