// Package privacy owns what a person is known by: telephone numbers, e-mail addresses, SIP
// addresses and ids that an account gave them, and which spellings of one are the same.
//
// It never knows where a person is found (projections/privacy) and erases nothing
// (domain/erasures).
package privacy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Kind is what a person is known by.
type Kind string

// The kinds.
const (
	Telephone Kind = "telephone" // with the country code
	Email     Kind = "email"
	SIP       Kind = "sip"      // user@host of a SIP address
	External  Kind = "external" // the account's own id of the person, such as userId of a transfer
)

// Kinds are all of them, as the API names them.
func Kinds() []Kind { return []Kind{Telephone, Email, SIP, External} }

// MaxValue is the longest value, in bytes.
const MaxValue = 256

// Identity is what a person is known by, in the spelling that stands for all of them. The
// zero value is nobody's.
type Identity struct {
	Kind  Kind   `json:"kind"`
	Value string `json:"value" personal:"subject"`
}

// Normal is the identity that a value of a kind spells; problem says what is wrong with it,
// and is empty for a good one.
func Normal(kind Kind, raw string) (i Identity, problem string) {
	switch value, ok := text(raw); {
	case !ok:
		return i, "must be 1 to 256 bytes of UTF-8 without control characters"
	case kind == Telephone:
		if number := telephone(value); number != "" {
			return Identity{kind, number}, ""
		}
		return i, "must be a telephone number with its country code, such as +15551234567"
	case kind == Email:
		if address := email(value); address != "" {
			return Identity{kind, address}, ""
		}
		return i, "must be an e-mail address, such as ann@example.com"
	case kind == SIP:
		if address := sip(value); address != "" {
			return Identity{kind, address}, ""
		}
		return i, "must be a SIP address, such as sip:ann@example.com"
	case kind == External:
		return Identity{kind, value}, ""
	}
	return i, "has no such kind"
}

// Identities are what a text that names a person in an event is known by: a target that was
// called is a number or a SIP address, an account's own id may be either of them, too.
func Identities(raw string) (all []Identity) {
	for _, kind := range Kinds() {
		if i, problem := Normal(kind, raw); problem == "" {
			all = append(all, i)
		}
	}
	return all
}

// Spelled are those of a text that need not be a number, such as an account's or a provider's own id of a person. It
// names a number only where it spells one, by a plus or an address: the same digits alone may be somebody else's.
func Spelled(raw string) []Identity {
	return slices.DeleteFunc(Identities(raw), func(i Identity) bool {
		return i.Kind == Telephone && !strings.ContainsAny(raw, "+:")
	})
}

func text(raw string) (string, bool) {
	value := norm.NFC.String(strings.TrimSpace(raw))
	ok := value != "" && len(value) <= MaxValue && utf8.ValidString(value) && strings.IndexFunc(value, unicode.IsControl) < 0
	return value, ok
}

// between are what people put between the digits of a number.
const between = " -.()/\u00a0\u2007\u2009\u202f\u2010\u2011\u2012\u2013"

// telephone is the number in E.164, empty for what is none. It may stand in a tel: or sip:
// address. 00 is another spelling of +, and of +00; a 0 in brackets behind the country code is dialled inside it only.
func telephone(value string) string {
	scheme, rest, _ := strings.Cut(value, ":")
	switch strings.ToLower(scheme) {
	case "tel":
		value, _, _ = strings.Cut(rest, ";")
	case "sip", "sips":
		value, _, _ = strings.Cut(rest, "@")
		value, _, _ = strings.Cut(value, ";")
		if !strings.HasPrefix(value, "+") { // ann's extension, or her name
			return ""
		}
	}
	if country, rest, written := strings.Cut(value, "(0)"); written && strings.ContainsAny(country, "123456789") {
		value = country + rest
	}
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(between, r) {
			return -1
		}
		return r
	}, value)
	digits = strings.TrimPrefix(strings.TrimPrefix(digits, "+"), "00")
	if len(digits) < 3 || len(digits) > 15 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return "+" + digits
}

// email is the address in lower case, empty for what is none.
func email(value string) string {
	value = strings.TrimPrefix(strings.ToLower(value), "mailto:")
	name, host, _ := strings.Cut(value, "@")
	if name == "" || host == "" || strings.ContainsAny(value, " \t<>,;:\"") || strings.Contains(host, "@") {
		return ""
	}
	return value
}

// sip is user@host, the host in lower case, without port and parameters; empty for what is
// none.
func sip(value string) string {
	scheme, rest, _ := strings.Cut(value, ":")
	if scheme = strings.ToLower(scheme); scheme != "sip" && scheme != "sips" {
		return ""
	}
	user, host, _ := strings.Cut(rest, "@")
	host, _, _ = strings.Cut(strings.ToLower(host), ";")
	if address, _, ok := strings.Cut(host, "]"); ok {
		host = address + "]"
	} else {
		host, _, _ = strings.Cut(host, ":")
	}
	user, _, _ = strings.Cut(user, ";")
	if user == "" || host == "" || strings.ContainsAny(value, " \t<>\"") {
		return ""
	}
	return user + "@" + host
}
