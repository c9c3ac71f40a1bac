package contactlists

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

var (
	phoneNumber = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	email       = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
)

// clean is the contact in its stored form; what is wrong is named below at.
func (c Contact) clean(f *fault.Fields, at string) Contact {
	c.PhoneNumber = strings.TrimSpace(c.PhoneNumber)
	if !phoneNumber.MatchString(c.PhoneNumber) {
		f.Add(at+".phoneNumber", "must be E.164: +, the country code and the number, 7 to 15 digits, in quotes")
	}
	c.FirstName = person(f, at+".firstName", c.FirstName)
	c.LastName = person(f, at+".lastName", c.LastName)
	c.Email = strings.TrimSpace(c.Email)
	if c.Email != "" && (len(c.Email) > MaxEmail || !email.MatchString(c.Email) || strings.ContainsFunc(c.Email, unicode.IsControl) ||
		!utf8.ValidString(c.Email)) {
		f.Add(at+".email", "must be an e-mail address of up to %d bytes", MaxEmail)
	}
	if c.Language != "" && !access.ValidLanguage(c.Language) {
		f.Add(at+".language", "must be a language tag such as en or de-AT")
	}
	if len(c.CustomFields) == 0 {
		c.CustomFields = nil
		return c
	}
	switch data, err := json.Marshal(c.CustomFields); {
	case err != nil || strings.Contains(string(data), `\u0000`):
		f.Add(at+".customFields", "must be an object of JSON values without U+0000")
	case len(data) > MaxCustomFields:
		f.Add(at+".customFields", "must be at most %d bytes as JSON, are %d", MaxCustomFields, len(data))
	}
	return c
}

// person is a name of somebody.
func person(f *fault.Fields, field, raw string) string {
	if raw = strings.TrimSpace(raw); raw == "" {
		return ""
	}
	name, problem := access.CleanText(raw, MaxName)
	if problem != "" {
		f.Add(field, "%s", problem)
	}
	return name
}

// size is about what the contact takes in an event, in bytes.
func (c Contact) size() int {
	data, _ := json.Marshal(c)
	return len(data) + 1
}
