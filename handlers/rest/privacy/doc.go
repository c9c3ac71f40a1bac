// Package privacy declares the operations on persons: the jobs that erase them, and handing
// out what is known of one.
//
// It never shows whom a job is about: that is forgotten with the person. Nor does it keep
// what it hands out.
package privacy
