// Package privacy keeps in which streams a person stands, by hashes of what the person is
// known by, and how far the jobs are that erase persons.
//
// It never holds what a person is known by, and erases nothing: a reactor does.
package privacy
