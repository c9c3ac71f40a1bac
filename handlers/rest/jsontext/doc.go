// Package jsontext judges JSON before anything is made of it: how deep it is nested, how
// much it holds, and which of its texts cannot be stored. It knows no schema.
package jsontext
