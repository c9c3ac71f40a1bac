package campaigns

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/texts"
)

// Limits of a definition, in characters and in number.
const (
	MaxName         = 48
	MaxDescription  = 256
	MaxFormat       = 48
	MaxContactLists = 50
	MaxWindows      = 56 // of calling hours
	LowestPriority  = 1
	HighestPriority = 5
)

// ValidID reports whether the text is an id of a campaign.
func ValidID(id string) bool {
	return access.PrefixedID(id, IDPrefix)
}

// Validate says all that is wrong with the definition, by the field names of the API.
func (d Definition) Validate() fault.Fields {
	_, f := d.clean()
	return f
}

// clean is the definition in its stored form, and all that is wrong with it, by the
// field names of the API.
func (d Definition) clean() (Definition, fault.Fields) {
	var f fault.Fields
	d.Name = text(&f, "name", d.Name, MaxName)
	d.Description = description(&f, d.Description)
	d.Format = text(&f, "format", d.Format, MaxFormat)
	if d.Kind != Voice && d.Kind != SMS {
		f.Add("campaignType", "must be %s or %s", Voice, SMS)
	}
	if d.Priority < LowestPriority || d.Priority > HighestPriority {
		f.Add("priority", "must be %d, the last, to %d, the first", LowestPriority, HighestPriority)
	}
	d.OurNumber = d.ourNumber(&f)
	for _, problem := range d.Hours.Validate() {
		f.Add("dialingStrategy.callingHours."+problem.Field, "%s", problem.Problem)
	}
	d.Hours.Days = slices.Clone(d.Hours.Days)
	if d.FlowID == "" {
		f.Add("experienceFlowName", "is required")
	}
	d.ContactLists = lists(&f, d.ContactLists)
	if d.Kind == SMS {
		d.MachineDetect = false // not applicable
	}
	return d, f
}

// text is a text of one line that somebody chose.
func text(f *fault.Fields, field, raw string, longest int) string {
	clean, problem := access.CleanText(raw, longest)
	if problem != "" {
		f.Add(field, "%s", problem)
	}
	return clean
}

// description is prose: unlike a name it may have lines, and whatever signs people write.
func description(f *fault.Fields, raw string) string {
	clean := access.PlainName(raw)
	switch n := utf8.RuneCountInString(clean); {
	case !utf8.ValidString(raw):
		f.Add("description", "must be valid UTF-8")
	case n == 0:
		f.Add("description", "is required")
	case n > MaxDescription:
		f.Add("description", "must be at most %d characters, has %d", MaxDescription, n)
	}
	return clean
}

var e164 = regexp.MustCompile(`^[1-9][0-9]{6,14}$`)

// ourNumber is the sender in its stored form: a telephone number as E.164, of messages
// also what a provider registers beside numbers, as it is.
func (d Definition) ourNumber(f *fault.Fields) string {
	raw := strings.TrimSpace(d.OurNumber)
	digits := strings.TrimPrefix(strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "").Replace(raw), "+")
	switch {
	case e164.MatchString(digits):
		return "+" + digits
	case d.Kind == SMS && texts.ValidSender(raw):
		return raw
	case d.Kind == SMS:
		f.Add("dialingStrategy.callerId.phoneNumber", "must be a telephone number with its country code, a short code, a sender name of up to "+
			"11 letters, digits and spaces, or the id of a messaging service (MG and 32 hexadecimal digits)")
	default:
		f.Add("dialingStrategy.callerId.phoneNumber", "must be a telephone number with its country code, such as +15550100000")
	}
	return raw
}

// lists are the names of the contact lists, each once.
func lists(f *fault.Fields, raw []string) []string {
	if len(raw) == 0 || len(raw) > MaxContactLists {
		f.Add("contactLists", "must be 1 to %d names of contact lists", MaxContactLists)
		return nil
	}
	out := make([]string, len(raw))
	for i, name := range raw {
		clean, problem := access.CleanName(name)
		field := fmt.Sprintf("contactLists[%d]", i)
		if problem != "" {
			f.Add(field, "%s", problem)
		} else if slices.Contains(out[:i], clean) {
			f.Add(field, "names a list a second time")
		}
		out[i] = clean
	}
	return out
}

// listed is a list of names in a sentence.
func listed(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}
