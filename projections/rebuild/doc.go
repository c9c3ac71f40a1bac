// Package rebuild builds read models from offset 0 of the log in tables of their own and
// puts them in the place of the live ones, or compares the two. It never writes a row
// of a live table but in the one transaction that switches.
package rebuild
