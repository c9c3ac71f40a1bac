// Package embeddedtest gives integration tests the embedded parts: a fresh broker
// and a fresh database for each test, in about a second for the first of a package
// and in milliseconds for the others.
//
// It never tests anything itself, and nothing outside of tests imports it.
package embeddedtest
