// Package platform delivers notices to the URLs of callers: signed, in the order of
// their stream, repeated until an hour has passed.
package platform
