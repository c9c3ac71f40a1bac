package pacing_test

import (
	"container/heap"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
)

// A year of a tenant on a virtual clock: campaigns in several zones with priorities and
// recurrence, pauses, calls that take from seconds to hours and outcomes that come
// twice, placers that come too late, capacity that changes. Nothing moves but what the
// state asks for: when nothing is due any more, everything must be finished.
func TestAYearOfCampaigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := newYear(t)
		for range rapid.IntRange(1, 6).Draw(t, "campaigns") {
			y.plan()
		}
		y.pass()
		require.Empty(t, y.state.Runs, "at the end of the year everything is finished")
		for id, r := range y.runs {
			require.Len(t, r.ended, 1, "%s is finished once", id)
			end := r.ended[0]
			require.Equal(t, r.tally, end.Tally, id)
			if !end.Stopped {
				require.Len(t, r.outcomes, end.Contacts, "%s: each contact has its outcome", id)
			}
			require.Len(t, r.outcomes, end.Contacts-end.Untried, id)
		}
	})
}

// happening is something at a time; those of one time come in the order of being planned.
type happening struct {
	at  time.Time
	seq int
	do  func()
}

type agenda []happening

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	return a[i].at.Before(a[j].at) || a[i].at.Equal(a[j].at) && a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(happening)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// known is what the test knows of a run without asking the domain.
type known struct {
	enter    pacing.Enter
	zone     *time.Location
	open     [2]int // hours of the local day
	days     map[time.Weekday]bool
	held     bool
	version  int64
	outcomes map[int]bool
	tally    pacing.Tally
	ended    []pacing.RunFinished
}

// isOpen tells the calling hours by the wall clock.
func (k *known) isOpen(at time.Time) bool {
	local := at.In(k.zone)
	return k.days[local.Weekday()] && local.Hour() >= k.open[0] && local.Hour() < k.open[1]
}

type year struct {
	*rapid.T
	state  pacing.State
	now    time.Time
	agenda agenda
	seq    int
	lines  pacing.Lines
	runs   map[string]*known
}

func newYear(t *rapid.T) *year {
	return &year{T: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), runs: map[string]*known{},
		lines: pacing.Lines{Voice: rapid.IntRange(1, 4).Draw(t, "lines"), SMS: rapid.IntRange(1, 4).Draw(t, "texts")}}
}

func (y *year) in(wait time.Duration, do func()) {
	y.seq++
	heap.Push(&y.agenda, happening{y.now.Add(wait), y.seq, do})
}

func (y *year) pass() {
	for steps := 0; y.agenda.Len() > 0; steps++ {
		require.Less(y, steps, 20_000, "it never comes to an end")
		next := heap.Pop(&y.agenda).(happening)
		y.now = next.at
		next.do()
	}
}

var zones = []string{"America/New_York", "Europe/London", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo"}

// plan starts a campaign on some day of the first ten months.
func (y *year) plan() {
	id := fmt.Sprintf("cid-%d", len(y.runs))
	zone := rapid.SampledFrom(zones).Draw(y.T, "zone")
	location, err := time.LoadLocation(zone)
	require.NoError(y, err)
	from := rapid.IntRange(0, 22).Draw(y.T, "opens")
	k := &known{zone: location, open: [2]int{from, rapid.IntRange(from+1, 23).Draw(y.T, "closes")}, days: map[time.Weekday]bool{},
		outcomes: map[int]bool{}, version: 2}
	hours := campaigns.Hours{Frequency: campaigns.Weekly, Timezone: zone}
	for d, code := range []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"} {
		if (d+len(y.runs))%rapid.IntRange(1, 3).Draw(y.T, "every") == 0 || d == 3 {
			k.days[time.Weekday(d)] = true
			hours.Days = append(hours.Days, campaigns.Window{Day: code, Start: clockTime(k.open[0]), End: clockTime(k.open[1])})
		}
	}
	k.enter = pacing.Enter{RunID: id, CampaignID: "cd-" + id, Channel: rapid.SampledFrom([]pacing.Channel{pacing.Voice, pacing.SMS}).Draw(
		y.T, "channel"),
		Priority: rapid.IntRange(1, 5).Draw(y.T, "priority"), Hours: hours, Recurring: rapid.Bool().Draw(y.T, "recurring"),
		Contacts: rapid.IntRange(0, 12).Draw(y.T, "contacts"), Ruling: pacing.Go, Version: 1}
	y.runs[id] = k
	y.in(time.Duration(rapid.IntRange(0, 300*24*60).Draw(y.T, "starts"))*time.Minute, func() {
		k.enter.Clock = y.clock()
		y.send(k.enter)
		y.steers(k)
	})
}

func clockTime(hour int) string {
	return time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC).Format("3:04 PM")
}

// steers pauses and resumes the run for a while; a recurring one is stopped some day.
func (y *year) steers(k *known) {
	for range rapid.IntRange(0, 2).Draw(y.T, "pauses") {
		begin := time.Duration(rapid.IntRange(0, 72).Draw(y.T, "pause")) * time.Hour
		y.in(begin, func() { y.rule(k, pacing.Hold) })
		y.in(begin+time.Duration(rapid.IntRange(0, 48).Draw(y.T, "resume"))*time.Hour, func() { y.rule(k, pacing.Go) })
	}
	if k.enter.Recurring || rapid.IntRange(0, 3).Draw(y.T, "change") == 0 {
		y.in(time.Duration(rapid.IntRange(0, 12).Draw(y.T, "stops"))*24*time.Hour, func() { y.rule(k, pacing.Stop) })
	}
}

func (y *year) rule(k *known, ruling pacing.Ruling) {
	k.version++
	steer := pacing.Steer{Clock: y.clock(), RunID: k.enter.RunID, Ruling: ruling, Version: k.version}
	k.held = ruling != pacing.Go
	y.send(steer)
	steer.Ruling, steer.Version = pacing.Hold, k.version-1 // an older one comes late
	require.Empty(y, y.send(steer))
}

func (y *year) clock() pacing.Clock { return pacing.Clock{Now: y.now, Lines: y.lines} }

// send decides a command, checks what it says and lets it have its effects.
func (y *year) send(c command) []event.Payload {
	events, err := c.Decide(y.state)
	require.NoError(y, err)
	for _, e := range events {
		if e, ok := e.(pacing.ContactsTaken); ok {
			y.checkTurn(e)
		}
		pacing.Pacing.Fold(&y.state, e)
		y.effects(e)
	}
	y.checkNobodyIdles()
	return events
}

// checkTurn checks contacts before they are taken.
func (y *year) checkTurn(e pacing.ContactsTaken) {
	k := y.runs[e.RunID]
	require.True(y, k.isOpen(y.now), "%s outside its hours, at %s", e.RunID, y.now.In(k.zone))
	require.False(y, k.held, "held")
	underWay := len(e.Contacts)
	for _, r := range y.state.Runs {
		other := y.runs[r.RunID]
		if other.enter.Channel != k.enter.Channel {
			continue
		}
		underWay += len(r.InFlight)
		waits := r.Next < r.Contacts && other.isOpen(y.now) && !other.held
		require.False(y, waits && r.Priority > k.enter.Priority, "%s has a higher priority than %s and waits", r.RunID, e.RunID)
	}
	most := y.lines.Voice
	if k.enter.Channel == pacing.SMS {
		most = y.lines.SMS
	}
	require.LessOrEqual(y, underWay, most)
}

// checkNobodyIdles: no line is free while a run may have it, and what only time brings
// has a timer.
func (y *year) checkNobodyIdles() {
	if awaited := y.state.Awaited; !awaited.IsZero() && !y.now.Before(awaited) {
		return // the timer is about to fire
	}
	busy := map[pacing.Channel]int{}
	for _, r := range y.state.Runs {
		busy[r.Channel] += len(r.InFlight)
	}
	most := map[pacing.Channel]int{pacing.Voice: y.lines.Voice, pacing.SMS: y.lines.SMS}
	for _, r := range y.state.Runs {
		k := y.runs[r.RunID]
		if r.Stopped || k.held || r.Next >= r.Contacts && len(r.Returned) == 0 {
			continue
		}
		if k.isOpen(y.now) {
			require.GreaterOrEqual(y, busy[r.Channel], most[r.Channel], "%s waits beside a free line at %s: %+v", r.RunID, y.now.In(k.zone), r)
		} else {
			decides := busy[pacing.Voice]+busy[pacing.SMS] > 0 // the next outcome does, of whichever run
			require.True(y, decides || !y.state.Awaited.IsZero(), "%s waits, and neither a timer nor an outcome will come", r.RunID)
		}
	}
}

func (y *year) effects(e event.Payload) {
	switch e := e.(type) {
	case pacing.ContactsTaken:
		for _, i := range e.Contacts {
			y.reach(e.RunID, i)
		}
	case pacing.ContactFinished:
		k := y.runs[e.RunID]
		require.False(y, k.outcomes[e.Contact], "contact %d of %s has two outcomes", e.Contact, e.RunID)
		k.outcomes[e.Contact], k.tally = true, e.Tally
	case pacing.OpeningAwaited:
		require.True(y, e.Until.After(y.now), "a timer of the past")
		y.in(e.Until.Sub(y.now), func() { y.send(pacing.Wake{Clock: y.clock()}) })
	case pacing.PassDue:
		y.in(time.Second, func() {
			pass := pacing.BeginPass{Clock: y.clock(), RunID: e.RunID, Pass: e.Pass, Contacts: y.contacts(e.RunID) + rapid.IntRange(0,
				5).Draw(y.T, "more")}
			y.send(pass)
			pass.Clock = y.clock()
			require.Empty(y, y.send(pass), "twice")
		})
	case pacing.RunFinished:
		y.runs[e.RunID].ended = append(y.runs[e.RunID].ended, e)
	}
}

func (y *year) contacts(id string) int {
	r, _ := y.state.Find(id)
	return r.Contacts
}

// reach is the way of one contact: usually an outcome, that may come twice; now and
// then nobody places it until the campaign has closed.
func (y *year) reach(id string, contact int) {
	if rapid.IntRange(0, 19).Draw(y.T, "late") == 0 {
		y.in(12*time.Hour, func() {
			if !y.runs[id].isOpen(y.now) {
				y.send(pacing.HandBack{Clock: y.clock(), RunID: id, Contacts: []int{contact}})
				return
			}
			y.outcome(id, contact)
		})
		return
	}
	y.in(time.Duration(rapid.IntRange(0, 3*3600).Draw(y.T, "seconds"))*time.Second, func() { y.outcome(id, contact) })
}

func (y *year) outcome(id string, contact int) {
	finish := pacing.Finish{Clock: y.clock(), RunID: id, Contact: contact,
		Outcome: rapid.SampledFrom([]pacing.Outcome{pacing.CallCompleted, pacing.MessageSent, pacing.Failed}).Draw(y.T, "outcome")}
	y.send(finish)
	if rapid.Bool().Draw(y.T, "twice") {
		require.Empty(y, y.send(finish))
	}
}
