package rest

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// queryRule is what huma does not look at in a parameter of the query: whether it was
// given more than once, of which huma takes the first, and with an empty value, which
// huma takes for an absent one.
type queryRule struct {
	schema   *huma.Schema
	registry huma.Registry
}

// queryOf reads the rules from what huma made of the input type. A list may be given
// as often as one likes.
func queryOf(h *huma.Operation, registry huma.Registry) map[string]queryRule {
	out := map[string]queryRule{}
	for _, p := range h.Parameters {
		if s := jsontext.Resolved(p.Schema, registry); p.In == "query" && s != nil && s.Type != huma.TypeArray {
			out[p.Name] = queryRule{s, registry}
		}
	}
	return out
}

// problem is what is wrong with the values; empty if nothing is, or huma will say it.
func (q queryRule) problem(values []string) string {
	switch {
	case len(values) > 1:
		return "must be given once"
	case len(values) == 0 || values[0] != "":
		return ""
	}
	switch q.schema.Type {
	case huma.TypeInteger:
		return "must be a whole number"
	case huma.TypeNumber:
		return "must be a number"
	case huma.TypeBoolean:
		return "must be true or false"
	}
	var res huma.ValidateResult
	huma.Validate(q.registry, q.schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, "", &res)
	if len(res.Errors) == 0 {
		return ""
	}
	return detailOf(res.Errors[0]).Problem
}

// moments are the forms of ISO 8601 that a moment may have: with a zone, or without one, which is UTC.
var moments = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04"}

// Moment reads a moment or a day by ISO 8601, in UTC. A plus sign that a URL has turned into a space is
// taken back.
func Moment(text string) (at time.Time, day, ok bool) {
	if date, zone, cut := strings.Cut(text, " "); cut && strings.Contains(date, "T") {
		text = date + "+" + zone
	}
	for _, layout := range moments {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), false, true
		}
	}
	t, err := time.Parse(time.DateOnly, text)
	return t, true, err == nil
}

// dated reads a day or a moment; zero: nobody said.
func dated(f *fault.Fields, field, text string) (at time.Time, day bool) {
	if text == "" {
		return time.Time{}, false
	}
	at, day, ok := Moment(text)
	if !ok {
		f.Add(field, "must be an ISO 8601 date and time, such as 2026-11-22T09:30:00Z, or a day")
	}
	return at, day && ok
}

// Range is how times are read between which somebody looks.
type Range struct {
	From, To string        // the names of its fields
	Now, End time.Time     // End is that of who says none; zero: there is none then
	Usual    time.Duration // for which one looks who does not say from when: before the end, or before now where that is still to come; 0: all
	Late     string        // what is said of a beginning behind the end
}

// Read reads it, and notes what is wrong with it. A day as its end is all in it.
func (r Range) Read(f *fault.Fields, from, to string) (start, end time.Time) {
	before := len(*f)
	end, day := dated(f, r.To, to)
	switch {
	case to == "":
		end = r.End
	case day:
		end = end.AddDate(0, 0, 1)
	}
	if start, _ = dated(f, r.From, from); from == "" && r.Usual > 0 {
		if start = end; start.After(r.Now) {
			start = r.Now
		}
		start = start.Add(-r.Usual)
	}
	if len(*f) == before && !end.IsZero() && (start.After(end) || day && start.Equal(end)) { // the day behind that of the end
		f.Add(r.From, "%s", r.Late)
	}
	return start, end
}

// parseQuery refuses a query string that is none, and notes values that no text
// column can hold, and those that break a rule.
func parseQuery(x *exchange, r *http.Request) (*http.Request, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return r, fault.New(fault.BadRequest, "the query string is malformed")
	}
	r = withCommas(r, values, x.op.lists)
	for name, list := range values {
		if problem := unfitQuery(x.op.query[name], name, list); problem != "" {
			x.problems.Add(name, "%s", problem)
		}
	}
	return r, nil
}

// withCommas makes a comma list of one that was given item by item, as some clients send it
// whatever the document says.
func withCommas(r *http.Request, values url.Values, lists []string) *http.Request {
	joined := false
	for _, name := range lists {
		if len(values[name]) > 1 {
			values[name], joined = []string{strings.Join(values[name], ",")}, true
		}
	}
	if joined {
		r = r.Clone(r.Context())
		r.URL.RawQuery = values.Encode()
	}
	return r
}

func unfitQuery(rule queryRule, name string, values []string) string {
	for _, v := range append(values, name) {
		if problem := jsontext.UnfitText(v); problem != "" {
			return problem
		}
	}
	if rule.schema == nil { // a parameter that the operation does not know is ignored
		return ""
	}
	return rule.problem(values)
}
