package contacts

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/privacy"
)

// Type is what a contact is to the account.
type Type string

// The types.
const (
	Employee  Type = "employee"
	Customer  Type = "customer"
	Anonymous Type = "anonymous"
)

// Details are what is said of a contact. A member that is empty is not known.
type Details struct {
	Type         Type            `json:"type"`
	Identity     string          `json:"identity,omitempty" personal:"subject"` // in the spelling that stands for all
	IdentityType string          `json:"identityType,omitempty"`                // email, phone, external; empty without an identity
	DisplayName  string          `json:"displayName,omitempty" personal:"subject"`
	Department   string          `json:"department,omitempty" personal:"subject"`
	EmployeeID   string          `json:"employeeId,omitempty" personal:"subject"`
	Company      string          `json:"company,omitempty" personal:"subject"`
	AccountRef   string          `json:"accountRef,omitempty" personal:"subject"`
	Channel      string          `json:"channel,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty" personal:"subject"` // an object
	Tags         []string        `json:"tags,omitempty" personal:"subject"`
}

// The bounds of details, in characters, bytes and levels (docs/api-rules.md "Contacts").
const (
	MaxName          = 200 // of displayName, company, department and accountRef
	MaxEmployeeID    = 100
	MaxChannel       = 64
	MaxTags          = 50
	MaxTag           = 50
	MaxMetadata      = 16 << 10
	MaxMetadataDepth = 5
)

// kinds are what identities are called by the API, and by privacy.
var kinds = map[string]privacy.Kind{"email": privacy.Email, "phone": privacy.Telephone, "external": privacy.External}

// IdentityOf is the identity that a text spells as one of a type; the error names the field.
func IdentityOf(identityType, text string) (string, error) {
	kind, ok := kinds[identityType]
	if !ok {
		return "", fault.Field("identityType", "must be one of email, phone, external")
	}
	i, problem := privacy.Normal(kind, text)
	if problem != "" {
		return "", fault.Field("identity", "%s", problem)
	}
	return i.Value, nil
}

// Known are the identities by which a person is found; none after an erasure.
func (d Details) Known() []privacy.Identity {
	kind, ok := kinds[d.IdentityType]
	if i, problem := privacy.Normal(kind, d.Identity); ok && problem == "" {
		return []privacy.Identity{i}
	}
	return nil
}

// Clean gives details as they are stored, and what is wrong with them.
func (d Details) Clean() (Details, error) { return d.cleaned(Details{}) }

// cleaned is Clean for details that were others: an identity that stays is not judged again.
func (d Details) cleaned(was Details) (Details, error) {
	var f fault.Fields
	if d.Identity == "" || !d.SameIdentity(was) {
		d.cleanIdentity(&f)
	}
	switch {
	case d.Type == "" && d.Identity == "":
		d.Type = Anonymous
	case d.Type == "":
		d.Type = Customer
	case !slices.Contains([]Type{Employee, Customer, Anonymous}, d.Type):
		f.Add("type", "must be one of employee, customer, anonymous")
	}
	for _, m := range []struct {
		field   string
		text    *string
		longest int
	}{
		{"displayName", &d.DisplayName, MaxName}, {"department", &d.Department, MaxName}, {"employeeId", &d.EmployeeID, MaxEmployeeID},
		{"company", &d.Company, MaxName}, {"accountRef", &d.AccountRef, MaxName}, {"channel", &d.Channel, MaxChannel},
	} {
		cleanText(&f, m.field, m.text, m.longest)
	}
	if d.Tags = slices.Clone(d.Tags); len(d.Tags) > MaxTags {
		f.Add("tags", "must be at most %d, are %d", MaxTags, len(d.Tags))
	}
	for n := range d.Tags {
		if cleanText(&f, "tags", &d.Tags[n], MaxTag); d.Tags[n] == "" {
			f.Add("tags", "must not be empty texts")
		}
	}
	d.cleanMetadata(&f)
	return d, f.Err()
}

func (d *Details) cleanIdentity(f *fault.Fields) {
	switch {
	case d.Identity == "" && d.IdentityType == "":
		return
	case d.Identity == "":
		f.Add("identity", "is required where identityType is given")
		return
	case d.IdentityType == "":
		f.Add("identityType", "is required where identity is given")
		return
	}
	good, err := IdentityOf(d.IdentityType, d.Identity)
	var refused *fault.Error
	if errors.As(err, &refused) {
		*f = append(*f, refused.Details...)
	} else if d.IdentityType == "phone" && !numbers.Valid(good) { // whoever is erased may be known by such a number
		f.Add("identity", "must be a telephone number with its country code, which does not begin with 0, such as +15551234567")
	}
	d.Identity = good
}

// cleanText is for a text that may be missing.
func cleanText(f *fault.Fields, field string, text *string, longest int) {
	if access.PlainName(*text) == "" {
		*text = ""
		return
	}
	good, problem := access.CleanText(*text, longest)
	if problem != "" {
		f.Add(field, "%s", problem)
		return
	}
	*text = good
}

func (d *Details) cleanMetadata(f *fault.Fields) {
	switch {
	case len(d.Metadata) == 0 || string(d.Metadata) == "null":
		d.Metadata = nil
		return
	case len(d.Metadata) > MaxMetadata:
		f.Add("metadata", "must be at most %d bytes", MaxMetadata)
		return
	case !attached.IsObject(d.Metadata, MaxMetadataDepth):
		f.Add("metadata", "must be an object of at most %d levels", MaxMetadataDepth)
		return
	}
	var compact bytes.Buffer
	if json.Compact(&compact, d.Metadata) == nil {
		d.Metadata = compact.Bytes()
	}
}
