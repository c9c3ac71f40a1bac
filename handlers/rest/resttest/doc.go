// Package resttest is an API with sample operations, for tests of the core and of groups.
package resttest
