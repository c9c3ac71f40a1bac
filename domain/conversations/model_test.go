package conversations_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// legal is the whole order of the events of a conversation as a table: where the
// conversation stands, what is told, of whom, and where it stands then. What is not in
// it is refused. "alone" is the main agent without consultants beside.
var legal = map[[3]string]string{
	{"new", "na entry", "absent"}:        "talk",
	{"new", "redial entry", "absent"}:    "talk",
	{"talk", "warm entry", "absent"}:     "talk",
	{"talk", "warm exit", "consultant"}:  "talk",
	{"talk", "cold exit", "alone"}:       "handover",
	{"talk", "na exit", "alone"}:         "out",
	{"talk", "message", ""}:              "talk",
	{"handover", "cold entry", "absent"}: "talk",
	{"handover", "cold entry", "leaver"}: "talk",
	{"handover", "na exit", "leaver"}:    "out",
	{"handover", "message", ""}:          "handover",
	{"out", "redial entry", "absent"}:    "talk",
	{"out", "summary", ""}:               "out",
	{"out", "message", ""}:               "out",
	{"out", "end", ""}:                   "over",
}

// oracle judges steps by the table, knowing nothing of the state machine.
type oracle struct {
	where    string
	main     string            // the one who talks, or who left by a cold exit
	beside   map[string]bool   // consultants
	last     map[string]string // the last step of each agent that counted
	asked    string            // the last summary, until somebody leaves again
	late     int
	messages int
}

func (o *oracle) relation(who string) string {
	switch {
	case who == "":
		return ""
	case o.beside[who]:
		return "consultant"
	case who == o.main && o.where == "handover":
		return "leaver"
	case who == o.main && o.where == "talk" && len(o.beside) == 0:
		return "alone"
	case who == o.main && o.where == "talk":
		return "main"
	}
	return "absent"
}

// judge is what must come of a step: taken, repeat, refused or late.
func (o *oracle) judge(what, who, of string) string {
	switch {
	case o.where == "over" && o.late < conversations.MaxLate:
		o.late++
		return "late"
	case o.where == "over":
		return "refused"
	case who != "" && o.last[who] == what, what == "summary" && o.where == "out" && o.asked == of:
		return "repeat"
	}
	next, ok := legal[[3]string{o.where, what, o.relation(who)}]
	if !ok {
		return "refused"
	}
	switch what {
	case "warm entry":
		o.beside[who] = true
	case "warm exit":
		delete(o.beside, who)
	case "summary":
		o.asked = of
	case "message":
		o.messages++
	case "na exit":
		o.asked = ""
	case "na entry", "redial entry", "cold entry":
		o.main = who
	}
	if who != "" {
		o.last[who] = what
	}
	o.where = next
	return "taken"
}

func told(what, who, of string) conversations.Told {
	switch what {
	case "summary":
		return summary(of)
	case "end":
		return ended()
	}
	var kind, transition string
	_, _ = fmt.Sscanf(what, "%s %s", &kind, &transition)
	return transferred(kind, transition, who)
}

// verdict is what the domain made of it.
func verdict(out []event.Payload, err error) string {
	switch {
	case err != nil:
		return "refused"
	case conversations.WasLate(out):
		return "late"
	case len(out) == 0:
		return "repeat"
	}
	return "taken"
}

var phases = map[string]conversations.Phase{"new": conversations.Unknown, "talk": conversations.Active,
	"handover": conversations.Transferring,
	"out":      conversations.Closing, "over": conversations.Ended}

func TestAnyOrderOfEventsIsJudgedAsTheTableSays(t *testing.T) {
	steps := []string{"na entry", "na exit", "cold entry", "cold exit", "warm entry", "warm exit", "redial entry", "summary", "message", "end"}
	rapid.Check(t, func(t *rapid.T) {
		o, w := oracle{where: "new", beside: map[string]bool{}, last: map[string]string{}}, &talk{}
		for range rapid.IntRange(1, 60).Draw(t, "length") {
			what, who, of := rapid.SampledFrom(steps).Draw(t, "step"), "", ""
			switch what {
			case "summary":
				of = rapid.SampledFrom([]string{"post", "brief"}).Draw(t, "type")
				if w.state().Summaries == conversations.MaxSummaries {
					continue
				}
			case "message", "end":
				if what == "end" && rapid.IntRange(0, 3).Draw(t, "really") > 0 {
					continue // or most histories are short
				}
			default:
				who = rapid.SampledFrom([]string{"a1", "a2", "a3"}).Draw(t, "agent")
			}
			var out []event.Payload
			var err error
			if what == "message" {
				out, err = message("USER").Decide(w.state())
				w.past = append(w.past, out...)
			} else {
				out, err = w.tell(told(what, who, of))
			}
			require.Equal(t, o.judge(what, who, of), verdict(out, err), "%s of %s: %v", what, who, err)
			s := w.state()
			require.Equal(t, phases[o.where], s.Phase)
			require.Equal(t, o.messages, s.Messages)
			for _, a := range []string{"a1", "a2", "a3"} {
				rel := o.relation(a)
				require.Equal(t, rel == "main" || rel == "alone" || rel == "consultant", s.Agents[a].Present, "%s after %s of %s", a, what, who)
			}
		}
	})
}

// Told at once, events are taken exactly when they are taken one by one.
func TestEventsOfOneReportAreAllTakenOrNone(t *testing.T) {
	steps := []string{"na entry", "na exit", "cold entry", "cold exit", "warm entry", "warm exit", "redial entry", "summary", "end"}
	rapid.Check(t, func(t *rapid.T) {
		start, one := &talk{}, &talk{}
		for range rapid.IntRange(0, 8).Draw(t, "before") {
			_, _ = start.tell(told(rapid.SampledFrom(steps[:8]).Draw(t, "step"), rapid.SampledFrom([]string{"a1", "a2"}).Draw(t, "agent"), "post"))
		}
		one.past = append(one.past, start.past...)
		var all []conversations.Told
		var singly error
		for range rapid.IntRange(1, 6).Draw(t, "length") {
			e := told(rapid.SampledFrom(steps).Draw(t, "step"), rapid.SampledFrom([]string{"a1", "a2"}).Draw(t, "agent"), "post")
			all = append(all, e)
			if singly == nil {
				if one.state().Phase == conversations.Ended {
					singly = errors.New("after the end")
				} else {
					_, singly = one.tell(e)
				}
			}
		}
		before := len(start.past)
		out, err := start.tell(all...)
		require.Equal(t, singly == nil, err == nil, "%v, %v", singly, err)
		if err != nil {
			require.True(t, fault.Is(err, fault.Validation))
			require.Empty(t, out)
			require.Len(t, start.past, before)
			return
		}
		require.Equal(t, one.past, start.past)
	})
}
