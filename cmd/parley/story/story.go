// Package story tells an event in a line: when, what, of which stream, and what of its data
// people want to know.
package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/show"
)

// Event is an event as GET /api/v1/events shows it, as far as it is told.
type Event struct {
	Type   string          `json:"type"`
	Stream string          `json:"stream"`
	Time   time.Time       `json:"time"`
	Data   json.RawMessage `json:"data"`
}

// Read reads an event of the API.
func Read(data []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("reading an event: %w", err)
	}
	return e, nil
}

// Name is what happened: calls.answered of parley.calls.answered.v1.
func (e Event) Name() string {
	name := strings.TrimPrefix(e.Type, "parley.")
	if at := strings.LastIndex(name, ".v"); at > 0 && strings.Trim(name[at+2:], "0123456789") == "" {
		name = name[:at]
	}
	return name
}

// columns are how wide time, name and stream are on a terminal of so many; the data has
// the rest, and needs some.
func columns(terminal int) (widths []int, clock string) {
	switch {
	case terminal == 0 || terminal >= 120:
		return []int{12, 24, 24}, "15:04:05.000"
	case terminal >= 80:
		return []int{8, 22, 13}, "15:04:05"
	}
	return []int{8, 18, 9}, "15:04:05"
}

// Tell prints the line.
func Tell(out *show.Out, e Event) error {
	widths, clock := columns(out.Width())
	return out.Columns(widths, show.Cell{Text: e.Time.Local().Format(clock), Colour: show.Faint}, show.Cell{Text: e.Name(),
		Colour: Colour(e.Name())}, show.Cell{Text: e.Stream, Colour: show.Faint}, show.Cell{Text: e.Words()})
}

// outcomes are the kinds of what happens, by how the name of it ends; the first that fits.
var outcomes = []struct {
	colour show.Colour
	ends   []string
}{
	{show.Red, []string{"failed", "undelivered", "refused", "rejected", "lost", "gave-up", "set-aside"}},
	{show.Yellow, []string{"revoked", "removed", "paused", "stopped", "expired", "cancelled", "unregistered"}},
	{show.Green, []string{"completed", "delivered", "answered", "sent", "accepted", "ended", "succeeded", "finished", "assigned"}},
	{show.Blue, []string{"requested", "started", "created", "defined", "opened", "enqueued", "resumed", "registered", "changed", "updated"}},
	{show.Cyan, []string{"said", "heard", "detected", "received", "transcribed", "summarized"}},
}

// Colour is that of the kind of what happened.
func Colour(name string) show.Colour {
	for _, o := range outcomes {
		for _, end := range o.ends {
			if strings.HasSuffix(name, end) {
				return o.colour
			}
		}
	}
	return show.Plain
}

// Words are what the data says. A call's own events are told in a sentence.
func (e Event) Words() string {
	var data map[string]any
	if json.Unmarshal(e.Data, &data) == nil {
		if tell := ofCalls[e.Name()]; tell != nil {
			return tell(fields(data))
		}
	}
	return members(e.Data)
}

// fields are the members of an event; what is absent is empty.
type fields map[string]any

func (f fields) text(name string) string {
	s, _ := f[name].(string)
	return s
}

func (f fields) seconds(name string) string {
	ms, _ := f[name].(float64)
	return fmt.Sprintf("%.1f s", ms/1000)
}

var ofCalls = map[string]func(fields) string{
	"calls.requested":       func(f fields) string { return f.text("target") + " from " + f.text("caller") },
	"calls.attempt-started": func(f fields) string { return "dialled by " + f.text("node") + " over " + f.text("provider") },
	"calls.ringing":         func(fields) string { return "" },
	"calls.lease-renewed":   func(fields) string { return "" },
	"calls.answered":        func(f fields) string { return "after " + f.seconds("connectDurationMs") },
	"calls.said":            func(f fields) string { return "“" + f.text("text") + "”" },
	"calls.heard":           func(f fields) string { return "“" + f.text("text") + "”" },
	"calls.amd-detected": func(f fields) string {
		words := f.text("result")
		if f.text("reason") != "" {
			words += " (" + f.text("reason") + ")"
		}
		if f.text("greeting") != "" {
			words += ": “" + f.text("greeting") + "”"
		}
		return words
	},
	"calls.completed": func(f fields) string {
		words := f.seconds("durationMs") + ", ended by " + f.text("by") + ": " + f.text("cause")
		if f.text("verdict") != "" {
			words += ", " + f.text("verdict")
		}
		return words
	},
	"calls.failed": func(f fields) string { return f.text("reason") },
}

// passedOver are members that say who and when once more, or nothing to people.
var passedOver = map[string]bool{"tenantId": true, "projectId": true, "accountId": true, "botId": true, "at": true, "hash": true,
	"body": true}

// members are the plain members of the data, in their order; of those that have members
// themselves there is only the name.
func members(data []byte) string {
	in := json.NewDecoder(bytes.NewReader(data))
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return ""
	}
	var words []string
	for in.More() {
		name, err := in.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if in.Decode(&value) != nil {
			break
		}
		n, _ := name.(string)
		if passedOver[n] || bytes.HasPrefix(value, []byte(`"sealed:`)) {
			continue
		}
		words = append(words, n+"="+short(value))
	}
	return strings.Join(words, " ")
}

func short(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "{…}"
	case '[':
		if len(value) > 2 {
			return "[…]"
		}
	case '"':
		var text string
		if json.Unmarshal(value, &text) == nil && text != "" && !strings.ContainsAny(text, " =\"") {
			return text
		}
	}
	return string(value)
}
