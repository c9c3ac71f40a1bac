package pacing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
)

// noon is a Monday at noon in London, where it is winter: 7 in the morning in New York.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func office(zone string) campaigns.Hours {
	return campaigns.Hours{Frequency: campaigns.Weekly, Timezone: zone, Days: []campaigns.Window{
		{Day: "MO", Start: "9:00 AM", End: "5:00 PM"}, {Day: "TU", Start: "9:00 AM", End: "5:00 PM"}, {Day: "WE", Start: "9:00 AM",
			End: "5:00 PM"}}}
}

func always() campaigns.Hours {
	return campaigns.Hours{Frequency: campaigns.Daily, Timezone: "UTC", Days: []campaigns.Window{{Start: "12:00 AM", End: "11:59 PM"}}}
}

func clock(at time.Time, lines int) pacing.Clock {
	return pacing.Clock{Now: at, Lines: pacing.Lines{Voice: lines, SMS: lines}}
}

// enter lets a voice run in that is always open, unless changed.
func enter(id string, contacts int, change ...func(*pacing.Enter)) pacing.Enter {
	c := pacing.Enter{Clock: clock(noon, 2), RunID: id, CampaignID: "cd-" + id, ProjectID: "bot", Channel: pacing.Voice, Priority: 3,
		Hours: always(), Contacts: contacts, Ruling: pacing.Go, Version: 2}
	for _, f := range change {
		f(&c)
	}
	return c
}

func finish(id string, contact int, at time.Time) pacing.Finish {
	return pacing.Finish{Clock: clock(at, 2), RunID: id, Contact: contact, Outcome: pacing.CallCompleted, EffectID: "call"}
}

type command interface {
	Decide(pacing.State) ([]event.Payload, error)
}

// lines is a tenant's lines in the making.
type lines struct {
	testing.TB
	state pacing.State
}

// when sends a command and gives what it says.
func (l *lines) when(c command) []event.Payload {
	l.Helper()
	events, err := c.Decide(l.state)
	require.NoError(l, err)
	for _, e := range events {
		pacing.Pacing.Fold(&l.state, e)
	}
	return events
}

// given sends commands whose events are of no interest.
func given(t testing.TB, commands ...command) *lines {
	l := &lines{TB: t}
	for _, c := range commands {
		l.when(c)
	}
	return l
}

// taken are the contacts that the events take, by run.
func taken(events []event.Payload) map[string][]int {
	out := map[string][]int{}
	for _, e := range events {
		if e, ok := e.(pacing.ContactsTaken); ok {
			out[e.RunID] = append(out[e.RunID], e.Contacts...)
		}
	}
	return out
}

// only finds the one event of a kind.
func only[E event.Payload](t testing.TB, events []event.Payload) E {
	t.Helper()
	var found []E
	for _, e := range events {
		if e, ok := e.(E); ok {
			found = append(found, e)
		}
	}
	require.Len(t, found, 1, "%#v", events)
	return found[0]
}
