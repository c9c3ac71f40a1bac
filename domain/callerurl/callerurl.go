// Package callerurl decides what of a URL that a caller gave may be read by others.
//
// It owns the rule that scheme, host and path are for everyone who reads events, read
// models and logs, and that the rest is a secret: a query, a user with a password and a
// fragment may hold a token. What holds a secret is sealed as a whole before it is put
// into an event, and opened by nobody but the sender. It never seals anything itself.
package callerurl

import "net/url"

// Bare is the URL without what may be a secret, and whether anything was left out. A
// URL that has nothing to hide is given back as it is written. Of text that is no URL
// nothing is shown.
func Bare(raw string) (bare string, secret bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", raw != ""
	}
	if u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && u.Opaque == "" {
		return raw, false
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return shown.String(), true
}

// Secret reports whether the URL holds what must not stand in an event.
func Secret(raw string) bool {
	_, secret := Bare(raw)
	return secret
}

// Unsealed is what is wrong with a URL that is about to be put into an event; empty
// when nothing is. It does not repeat the URL.
func Unsealed(raw string) string {
	if Secret(raw) {
		return "has a query, a user or a fragment that was not sealed"
	}
	return ""
}
