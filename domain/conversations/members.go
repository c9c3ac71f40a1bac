package conversations

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/fault"
)

// Experience is how an agent and a user talk.
type Experience string

// The experiences, by the names of the API.
const (
	Chat  Experience = "chat"
	Voice Experience = "voice"
)

// Participant is the agent that a lifecycle event is about.
type Participant struct {
	Identity     string // the agent's id, user id, custom id or e-mail address: whatever the caller uses throughout
	Name         string
	Type         string // agent
	CustomFields CustomFields
}

// CustomFields are needed only for the analysis of calls by the quality module.
type CustomFields struct {
	HumanAgentEmail string `json:"agentEmail,omitempty" personal:"agent" key:"own"`
	QueueID         string `json:"queueId,omitempty"`
	QueueName       string `json:"queueName,omitempty"`
}

// Limits of texts, in characters.
const (
	MaxText     = 256    // identities, names, reasons, queues
	MaxLanguage = 64     // of a language as events name it
	MaxQuery    = 20_000 // of a message
)

// members collects what is wrong with the members of one object.
type members struct {
	faults *fault.Fields
	prefix string // events[0].
}

func (m members) add(name, format string, args ...any) { m.faults.Add(m.prefix+name, format, args...) }

func (m members) in(object string) members { return members{m.faults, m.prefix + object + "."} }

// text checks a member that is required, and optional one that may be absent.
func (m members) text(name, value string, most int) {
	if strings.TrimSpace(value) == "" {
		m.add(name, "is required")
		return
	}
	m.optional(name, value, most)
}

func (m members) optional(name, value string, most int) {
	switch {
	case utf8.RuneCountInString(value) > most:
		m.add(name, "must have at most %d characters", most)
	case strings.ContainsFunc(value, unicode.IsControl):
		m.add(name, "must not contain control characters")
	}
}

// form checks a member that is required and has a form, said in words.
func (m members) form(name, value string, form *regexp.Regexp, words string) {
	switch {
	case value == "":
		m.add(name, "is required")
	case !form.MatchString(value):
		m.add(name, "must be %s", words)
	}
}

// oneOf reads a member whose values are compared without regard to case; the
// answer is the value as it is kept.
func oneOf[T ~string](m members, name, value string, required bool, values ...T) T {
	if value == "" {
		if required {
			m.add(name, "is required")
		}
		return ""
	}
	known := make([]string, len(values))
	for i, v := range values {
		if strings.EqualFold(value, string(v)) {
			return v
		}
		known[i] = string(v)
	}
	m.add(name, "must be one of %s", strings.Join(known, ", "))
	return ""
}

func (m members) participant(p *Participant) Participant {
	if p == nil {
		m.add("participant", "is required")
		return Participant{}
	}
	in := m.in("participant")
	in.text("identity", p.Identity, MaxText)
	in.text("name", p.Name, MaxText)
	oneOf(in, "type", p.Type, true, "agent")
	custom := in.in("customFields")
	custom.optional("agentEmail", p.CustomFields.HumanAgentEmail, MaxText)
	custom.optional("queueId", p.CustomFields.QueueID, MaxText)
	custom.optional("queueName", p.CustomFields.QueueName, MaxText)
	return *p
}

var (
	languageCode = regexp.MustCompile(`^[A-Za-z0-9_-]{1,35}$`)
	summaryKind  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)
)
