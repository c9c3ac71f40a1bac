package humanagents

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/numbers"
)

// Most is how many items a list of an agent can have; MaxCapacity how many
// conversations of one kind an agent can be given at once.
const (
	Most        = 100
	MaxCapacity = 100
)

var (
	emailForm  = regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)
	statusForm = regexp.MustCompile(`^[A-Z][A-Z_]*$`)
)

// checks collects what is wrong with a record; at is what the names of its fields
// begin with: nothing for the API, "spec." for manifests.
type checks struct {
	fault.Fields
	at string
}

func (c *checks) add(field, format string, args ...any) { c.Add(c.at+field, format, args...) }

// check is of the record that results, and of what was given for it.
func (r Record) check(at string, g Given) error {
	c := &checks{at: at}
	for _, m := range []struct{ field, value string }{
		{"userId", r.UserID}, {"roleId", r.RoleID}, {"iId", r.IID}, {"agentGroupId", r.AgentGroupID},
	} {
		c.id(m.field, m.value)
	}
	c.name("firstName", r.FirstName)
	c.name("lastName", r.LastName)
	switch {
	case r.EmailID == "":
		c.add("emailId", "is required")
	case !emailForm.MatchString(r.EmailID):
		c.add("emailId", "must be an e-mail address")
	}
	for _, m := range []struct {
		field, value string
		most         int
	}{
		{"emailId", r.EmailID, 254},
		{"customId", r.CustomID, 64}, {"status", r.Status, 32}, {"createdBy", r.CreatedBy, 128},
		{"createdByAId", r.CreatedByAID, 128},
		{"hoursOfOperationId", r.HoursOfOperationID, 128}, {"profImage", r.ProfImage, 2048}, {"sipURI", r.SIPURI, 256}, {"role", r.Role, 100},
	} {
		c.text(m.field, m.value, m.most)
	}
	if strings.ContainsFunc(r.CustomID, unicode.IsSpace) {
		c.add("customId", "must not contain spaces; special characters are allowed")
	}
	if !statusForm.MatchString(r.Status) {
		c.add("status", "must be upper-case letters and _, such as ACTIVE")
	}
	c.capacity("maxDigitalChatSupport", r.MaxDigitalChatSupport)
	c.capacity("maxEmailChatSupport", r.MaxEmailChatSupport)
	c.capacity("maxMessagingChatSupport", r.MaxMessagingChatSupport)
	c.lists(r)
	c.names(g)
	c.number(g)
	c.languages(g)
	return c.Err()
}

func (c *checks) lists(r Record) {
	each(c, "agentGroups", r.AgentGroups, func(at string, g Group) {
		c.id(at+"groupId", g.GroupID)
		c.name(at+"role", g.Role)
		c.text(at+"accessLevel", g.AccessLevel, 100)
		c.text(at+"groupName", g.GroupName, 100)
	})
	text := func(at string, s string) { c.text(strings.TrimSuffix(at, "."), s, 100) }
	each(c, "voiceSupport", r.VoiceSupport, text)
	each(c, "dAgentGroups", r.DAgentGroups, text)
	each(c, "desktopLayouts", r.DesktopLayouts, func(at string, l Layout) {
		c.id(at+"id", l.ID)
		c.text(at+"name", l.Name, 100)
	})
	each(c, "skills", r.Skills, func(at string, s Skill) {
		c.id(at+"skillId", s.SkillID)
		c.percent(at+"proficiencyLevel", s.ProficiencyLevel)
		c.text(at+"userId", s.UserID, 128)
		c.text(at+"name", s.Name, 100)
		c.text(at+"skillGroupId", s.SkillGroupID, 128)
		c.text(at+"skillGroupName", s.SkillGroupName, 100)
		c.text(at+"skillGroupColor", s.SkillGroupColor, 32)
		c.text(at+"id", s.ID, 128)
	})
}

// names checks the names that are given, which customers and colleagues see, and not those that are kept: they may be
// from before so much was refused.
func (c *checks) names(g Given) {
	for _, m := range []struct {
		field string
		given *string
		most  int
	}{{"fullName", g.FullName, 201}, {"lFullName", g.LFullName, 201}, {"nickName", g.NickName, 100}} {
		if m.given == nil || access.PlainName(*m.given) == "" {
			continue
		}
		if _, problem := access.CleanText(*m.given, m.most); problem != "" {
			c.add(m.field, "%s", problem)
		}
	}
}

// number checks the telephone number that is given, which calls are put through to, and not the one that is
// kept: it may be from before any was checked.
func (c *checks) number(g Given) {
	if g.PhoneNumber != nil && *g.PhoneNumber != "" && !numbers.Valid(g.number()) {
		c.add("phoneNumber", "must be a telephone number with its country code, such as +15551234567")
	}
}

// languages checks the languages that are given, not those that are kept: a list from when
// only the form of tags was checked is no fault of an update that leaves it.
func (c *checks) languages(g Given) {
	language := func(at string, l Language) {
		if _, ok := LanguageTag(l.Language); !ok {
			c.add(at+"language", "must be a language by its tag or name, such as en, de-AT, English or Deutsch")
		}
		c.percent(at+"proficiency", l.Proficiency)
	}
	for _, list := range []struct {
		field string
		given *[]Language
	}{
		{"chatLanguageSupport", g.ChatLanguageSupport}, {"voiceLanguageSupport", g.VoiceLangSupport},
		{"caseLanguageSupport", g.CaseLanguageSupport},
	} {
		if list.given != nil {
			each(c, list.field, *list.given, language)
		}
	}
}

func each[T any](c *checks, field string, items []T, check func(at string, item T)) {
	if len(items) > Most {
		c.add(field, "has more than %d items", Most)
		return
	}
	for i, item := range items {
		check(fmt.Sprintf("%s[%d].", field, i), item)
	}
}

func (c *checks) id(field, value string) {
	switch {
	case value == "":
		c.add(field, "is required")
	case !access.ValidID(value):
		c.add(field, "must be 1 to %d letters, digits, _ or -", access.MaxIDLength)
	}
}

func (c *checks) name(field, value string) {
	if _, problem := access.CleanName(value); problem != "" {
		c.add(field, "%s", problem)
	}
}

func (c *checks) text(field, value string, most int) {
	switch {
	case !utf8.ValidString(value):
		c.add(field, "must be valid UTF-8")
	case utf8.RuneCountInString(value) > most:
		c.add(field, "must be at most %d characters", most)
	case strings.ContainsFunc(value, unicode.IsControl):
		c.add(field, "must not contain control characters")
	}
}

func (c *checks) capacity(field string, n int) {
	if n < 0 || n > MaxCapacity {
		c.add(field, "must be 0 to %d", MaxCapacity)
	}
}

func (c *checks) percent(field string, n int) {
	if n < 0 || n > 100 {
		c.add(field, "must be 0 to 100")
	}
}
