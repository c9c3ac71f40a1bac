package llm

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/completions"
)

// parameter is what the rules of the local provider read of a tool's parameter.
type parameter struct {
	Type    string     `json:"type"`
	Format  string     `json:"format"`
	Pattern string     `json:"pattern"`
	Enum    []any      `json:"enum"`
	Items   *parameter `json:"items"`
}

// finding is a message in which values are looked for. What was found is taken out of it, so that
// the day of a date is no number.
type finding struct {
	text  string
	today string // as a system message says: "Today is 2026-11-24."
	asked string // the parameter that the user was asked for, as a system message says
	found bool   // something was
}

var (
	todayIs      = regexp.MustCompile(`Today is ([0-9]{4}-[0-9]{2}-[0-9]{2})`)
	wasAskedFor  = regexp.MustCompile(`The user was asked for: (\w+)`)
	anEmail      = regexp.MustCompile(`[^\s<>(),;:"]+@[^\s<>(),;:"@]+\.[A-Za-z]{2,}`)
	aPhone       = regexp.MustCompile(`\+[0-9][0-9 ()/.-]{5,24}[0-9]`)
	aTime        = regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[-+][0-9]{2}:[0-9]{2})?`)
	aDate        = regexp.MustCompile(`\b[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\b|\b[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}\b`)
	aDay         = regexp.MustCompile(`(?i)\b(today|tomorrow|heute|morgen)\b`)
	aNumber      = regexp.MustCompile(`-?\b[0-9]+(\.[0-9]+)?\b`)
	quoted       = regexp.MustCompile(`"([^"]+)"`)
	behindAPlace = regexp.MustCompile(`\b(?:to|in|from|at|near|called|named|nach|von|aus)\s+((?:\p{Lu}[\p{L}'-]*\s?)+)`)
	yesOrNo      = regexp.MustCompile(`(?i)^\W*(?:(yes|ja|oui|si|sí|sim)|(?:no|nein|nee|non|não))\b`)
)

// valuesIn are arguments for a tool that has to be called: the JSON object in the message or,
// without one, what these rules find there for its parameters, each kind before the next:
//
//   - enum: the one of the values that stands in it as a word, whatever the case; of a list all
//     that do
//   - email, phone (+49 ...), date-time and date by their forms; today and tomorrow by the system
//     message that says "Today is 2026-11-24"
//   - pattern: the first that fits
//   - boolean: how the message begins, yes or no
//   - integer and number: the one beside the parameter's name ("3 nights", "nights: 3"), else the
//     only one that is left, if one parameter is left for it
//   - any other text: behind the parameter's name ("city: Rome", "city is Rome"); of the only such
//     parameter what is in quotes, or capitalised behind to, in, from, at, near, called or named; or
//     a message of at most three words that has nothing else, if a system message says "The user was asked for: city"
//
// What is not found is left out.
func valuesIn(r completions.Request, tool string) string {
	said := r.Messages[len(r.Messages)-1].Text
	if object := argumentsIn(said); object != "{}" {
		return object
	}
	at := slices.IndexFunc(r.Tools, func(t completions.Tool) bool { return t.Name == tool })
	if at < 0 {
		return "{}"
	}
	var schema struct {
		Properties map[string]parameter `json:"properties"`
	}
	if json.Unmarshal(r.Tools[at].Parameters, &schema) != nil || len(schema.Properties) == 0 {
		return "{}"
	}
	f := finding{text: strings.Join(strings.Fields(said), " ")}
	for _, m := range r.Messages {
		if m.Role != completions.System {
			continue
		}
		if found := todayIs.FindStringSubmatch(m.Text); found != nil {
			f.today = found[1]
		}
		if found := wasAskedFor.FindStringSubmatch(m.Text); found != nil {
			f.asked = found[1]
		}
	}
	out, err := json.Marshal(f.all(schema.Properties))
	if err != nil {
		return "{}"
	}
	return string(out)
}

// kinds are those of parameters, in the order in which they are looked for.
var kinds = []func(parameter) bool{
	func(p parameter) bool { return len(p.Enum) > 0 || p.Items != nil && len(p.Items.Enum) > 0 },
	func(p parameter) bool { return p.Format == "email" || p.Format == "phone" || p.Format == "date-time" },
	func(p parameter) bool { return p.Format == "date" },
	func(p parameter) bool { return p.Pattern != "" },
	func(p parameter) bool { return p.Type == "boolean" },
	func(p parameter) bool { return p.Type == "integer" || p.Type == "number" },
	func(p parameter) bool { return p.Type == "string" },
}

func (f *finding) all(parameters map[string]parameter) map[string]any {
	out, left := map[string]any{}, maps.Clone(parameters)
	for _, is := range kinds {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(left)) {
			if is(left[name]) {
				names = append(names, name)
			}
		}
		for _, name := range names {
			v := f.one(name, left[name], len(names) == 1)
			delete(left, name)
			if v != nil {
				out[name], f.found = v, true
			}
		}
	}
	return out
}

// one is the value of a parameter; nil: it is not there.
func (f *finding) one(name string, p parameter, only bool) any {
	switch {
	case len(p.Enum) > 0:
		if found := f.named(p.Enum); len(found) == 1 {
			return found[0]
		}
		return nil
	case p.Items != nil:
		if found := f.named(p.Items.Enum); len(found) > 0 {
			return found
		}
		return nil
	case p.Pattern != "":
		re, err := regexp.Compile(strings.TrimSuffix(strings.TrimPrefix(p.Pattern, "^"), "$"))
		if err != nil {
			return nil
		}
		return f.take(re)
	case p.Type == "boolean":
		if found := yesOrNo.FindStringSubmatch(f.text); found != nil {
			return found[1] != ""
		}
		return nil
	case p.Type == "integer", p.Type == "number":
		return f.number(name, only)
	}
	if re := map[string]*regexp.Regexp{"email": anEmail, "phone": aPhone, "date-time": aTime, "date": aDate}[p.Format]; re != nil {
		if v := f.take(re); v != nil || p.Format != "date" {
			return v
		}
		return f.day()
	}
	return f.plain(name, only)
}

// take takes the first that fits out of the message.
func (f *finding) take(re *regexp.Regexp) any {
	at := re.FindStringIndex(f.text)
	if at == nil || at[0] == at[1] {
		return nil
	}
	found := f.text[at[0]:at[1]]
	f.text = strings.TrimSpace(f.text[:at[0]] + f.text[at[1]:])
	return found
}

func (f *finding) day() any {
	found := aDay.FindString(f.text)
	today, err := time.Parse(time.DateOnly, f.today)
	if found == "" || err != nil {
		return nil
	}
	if strings.EqualFold(found, "tomorrow") || strings.EqualFold(found, "morgen") {
		today = today.AddDate(0, 0, 1)
	}
	return today.Format(time.DateOnly)
}

// named are the values that stand in the message as words.
func (f *finding) named(values []any) (found []any) {
	for _, v := range values {
		if text, is := v.(string); is && text != "" && asAWord(f.text, text) {
			found = append(found, v)
		}
	}
	return found
}

func asAWord(text, word string) bool {
	return regexp.MustCompile(`(?i)(^|[^\pL\pN_-])` + regexp.QuoteMeta(word) + `($|[^\pL\pN_-])`).MatchString(text)
}

func (f *finding) number(name string, only bool) any {
	beside := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) + `\b\W{0,3}(?:is )?(-?[0-9]+(?:\.[0-9]+)?)|(-?[0-9]+(?:\.[0-9]+)?) ` +
		regexp.QuoteMeta(name) + `\b`)
	found := beside.FindStringSubmatch(f.text)
	if found != nil {
		f.take(beside)
		return json.Number(found[1] + found[2])
	}
	if all := aNumber.FindAllString(f.text, -1); len(all) == 1 && only {
		f.take(aNumber)
		return json.Number(all[0])
	}
	return nil
}

func (f *finding) plain(name string, only bool) any {
	behind := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) + `\b\s*(?::|=|\bis\b)\s*([^,;.!?]+)`)
	for _, re := range []*regexp.Regexp{behind, quoted, behindAPlace} {
		if found := re.FindStringSubmatch(f.text); found != nil && (only || re == behind) {
			return strings.TrimSpace(found[1])
		}
	}
	if whole := strings.Trim(f.text, " .!?"); f.asked == name && !f.found && whole != "" && len(strings.Fields(whole)) <= 3 {
		return whole
	}
	return nil
}
