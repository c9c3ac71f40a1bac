// Package privacy declares the operations on the jobs that erase persons.
//
// It never shows whom a job is about: that is forgotten with the person.
package privacy
