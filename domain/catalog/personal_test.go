package catalog_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

// notPersonal is the list of text members that say nothing of a person, with the reasons.
const notPersonal = "testdata/not-personal.txt"

// Every text member of every event is marked as personal, by a tag that says whose it is, or
// named in the list, with the reason. Who adds a member decides: what is not marked stays
// readable on the log for ever.
func TestEveryTextMemberIsPersonalOrNamed(t *testing.T) {
	named, reasons := listed(t)
	used := map[string]bool{}
	for _, c := range catalog.Categories() {
		for _, k := range c.Kinds() {
			for _, m := range textMembers(k.Go, "", "") {
				at := c.Name + "/" + m.path
				if m.personal != "" {
					require.Empty(t, named[at], "%s of %s is marked personal and named in %s: take it out of one", m.path, k.Type(), notPersonal)
					continue
				}
				require.NotEmpty(t, named[at], "%s of %s is text: mark it with a tag personal:\"<whose>\", or name it in %s, with the reason",
					m.path, k.Type(), notPersonal)
				used[at] = true
			}
		}
	}
	for at, reason := range named {
		require.True(t, used[at], "%s names %s, which no event has: take it out", notPersonal, at)
		require.Contains(t, reasons, reason, "the reason of %s", at)
	}
}

// A client names what its user chose, in any words: they need not be those of something that was shown.
func TestWhatAClientSaysWasChosenIsPersonal(t *testing.T) {
	for _, e := range []any{sessions.MessageReceived{}, sessions.PassedOn{}, threads.Received{}} {
		members := textMembers(reflect.TypeOf(e), "", "")
		marked := slices.ContainsFunc(members, func(m textMember) bool {
			return (m.path == "action.id" || m.path == "chosen.id") && m.personal == "customer"
		})
		require.True(t, marked, "%T: %v", e, members)
	}
}

// What providers call messages names persons: a button's press in Slack the user who pressed it, WhatsApp's ids their number.
func TestWhatAProviderCallsAMessageIsPersonal(t *testing.T) {
	for _, e := range []any{threads.Received{}, threads.PartSent{}, threads.DraftShown{}, threads.Reported{}} {
		for _, m := range textMembers(reflect.TypeOf(e), "", "") {
			if m.path == "externalId" || m.path == "providerMessageId" {
				require.Equal(t, "customer", m.personal, "%T: %s", e, m.path)
			}
		}
	}
}

// Whoever can be found in a stream can be erased from it.
func TestEveryCategoryWithCustomersHasAnErasure(t *testing.T) {
	colleagues := []string{"organisations", "staff"} // who works for the account goes by its own rules
	for _, c := range catalog.Categories() {
		var personal bool
		for _, k := range c.Kinds() {
			personal = personal || slices.ContainsFunc(textMembers(k.Go, "", ""), func(m textMember) bool { return m.personal != "" })
		}
		if !personal || slices.Contains(colleagues, c.Name) {
			continue
		}
		require.True(t, c.Erases("parley."+c.Name+"."+event.ErasedName+".v1"), "%s has personal members: add erase.go, as the others have",
			c.Name)
	}
}

// What is of a person is marked down to its last member, whatever it is nested in.
func TestMarksReachWhatIsNested(t *testing.T) {
	type inner struct {
		Code string `json:"code"`
		Name string `json:"name" personal:"one"`
	}
	type outer struct {
		inner
		At    time.Time       `json:"at"`
		Many  []*inner        `json:"many"`
		Given map[string]any  `json:"given"`
		Raw   json.RawMessage `json:"raw" personal:"two"`
		Whole inner           `json:"whole" personal:"three"`
		Count int             `json:"count"`
		Left  string          `json:"-"`
	}
	require.Equal(t, []textMember{{"code", ""}, {"name", "one"}, {"many.code", ""}, {"many.name", "one"}, {"given", ""}, {"given", ""},
		{"raw", "two"}, {"whole.code", "three"}, {"whole.name", "one"}}, textMembers(reflect.TypeFor[outer](), "", ""))
}

// textMember is a member of an event that can hold text: a string, any JSON, or the keys of
// an object. Its path leaves out what repeats: contacts.email for that of each contact.
type textMember struct {
	path     string
	personal string // whose it is; empty: unmarked
}

func textMembers(t reflect.Type, path, personal string) []textMember {
	one := []textMember{{path, personal}}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return nil
	case t == reflect.TypeFor[json.RawMessage]():
		return one
	}
	switch t.Kind() {
	case reflect.String, reflect.Interface:
		return one
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return textMembers(t.Elem(), path, personal)
	case reflect.Map:
		return append(textMembers(t.Key(), path, personal), textMembers(t.Elem(), path, personal)...)
	case reflect.Struct:
		return textFields(t, path, personal)
	}
	return nil
}

func textFields(t reflect.Type, path, personal string) (all []textMember) {
	for f := range fieldsOf(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		at, whose := path, personal
		if name != "" {
			at = strings.TrimPrefix(path+"."+name, ".")
		}
		if own := f.Tag.Get("personal"); own != "" {
			whose = own
		}
		all = append(all, textMembers(f.Type, at, whose)...)
	}
	return all
}

// fieldsOf are the fields that JSON sees.
func fieldsOf(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Tag.Get("json") == "-" || !f.IsExported() && !f.Anonymous {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

// listed reads the list: members by category and path, with the word for the reason, and
// the words that it explains.
func listed(t *testing.T) (members map[string]string, reasons map[string]string) {
	t.Helper()
	file, err := os.Open(notPersonal)
	require.NoError(t, err)
	defer file.Close()
	members, reasons = map[string]string{}, map[string]string{}
	category := ""
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if explained, ok := strings.CutPrefix(line, "# "); ok {
			if word, why, ok := strings.Cut(explained, " - "); ok {
				reasons[word] = why
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if inner, ok := strings.CutPrefix(line, "["); ok {
			category = strings.TrimSuffix(inner, "]")
			continue
		}
		reason, paths, ok := strings.Cut(line, ": ")
		require.True(t, ok, "%s: %q is not REASON: MEMBER MEMBER ...", notPersonal, line)
		for _, path := range strings.Fields(paths) {
			at := category + "/" + path
			require.Empty(t, members[at], "%s is named twice", at)
			members[at] = reason
		}
	}
	require.NoError(t, lines.Err())
	return members, reasons
}

// TestTheListIsInOrder keeps it readable: categories and members by name.
func TestTheListIsInOrder(t *testing.T) {
	members, reasons := listed(t)
	var want strings.Builder
	for _, c := range slices.Sorted(maps.Keys(group(members))) {
		fmt.Fprintf(&want, "\n[%s]\n", c)
		for _, reason := range slices.Sorted(maps.Keys(reasons)) {
			if of := group(members)[c][reason]; len(of) > 0 {
				slices.Sort(of)
				fmt.Fprintf(&want, "%s: %s\n", reason, strings.Join(of, " "))
			}
		}
	}
	content, err := os.ReadFile(notPersonal)
	require.NoError(t, err)
	_, body, _ := strings.Cut(string(content), "\n\n")
	require.Equal(t, strings.TrimPrefix(want.String(), "\n"), body)
}

// group is by category and reason.
func group(members map[string]string) map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for at, reason := range members {
		category, path, _ := strings.Cut(at, "/")
		if out[category] == nil {
			out[category] = map[string][]string{}
		}
		out[category][reason] = append(out[category][reason], path)
	}
	return out
}
