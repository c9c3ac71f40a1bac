// Package platform delivers notices to the URLs of callers: signed, in the order of
// their stream, repeated until an hour has passed.
//
// It owns the delivery alone. It never says what is to be told: the notices stand on their streams.
package platform
