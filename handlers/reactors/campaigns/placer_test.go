package campaigns_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	campaignreactors "github.com/parley-platform/parley/handlers/reactors/campaigns"
	"github.com/parley-platform/parley/projections"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

// runKnown is the read model of one run whose contacts all have their turn.
type runKnown struct{ terms campaignmodels.RunTerms }

func (k runKnown) Lists(context.Context, string, string, int64) (map[string][]contactlists.Contact, error) {
	return nil, nil
}

func (k runKnown) Terms(context.Context, string, string, []int) (campaignmodels.RunTerms, error) {
	return k.terms, nil
}

// placing is a run of messages, open on Mondays from nine to five, whose first contacts
// were taken while it was open.
type placing struct {
	*testing.T
	log   *memory.Log
	store *eventstore.Store
	terms campaignmodels.RunTerms
	taken pacing.ContactsTaken
	room  func(context.Context, string, ...string) error // nil: there is
}

var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func newPlacing(t *testing.T, contacts int) *placing {
	hours := campaigns.Hours{Frequency: campaigns.Weekly, Timezone: "UTC", Days: []campaigns.Window{
		{Day: "MO", Start: "9:00 AM", End: "5:00 PM"}}}
	log := memory.New()
	w := &placing{T: t, log: log, store: log.Open(eventstore.Config{Node: "n-1"}), terms: campaignmodels.RunTerms{ProjectID: "bot",
		CampaignID: "cd-1", Kind: campaigns.SMS, OurNumber: "+15550100", MessageText: "Hello", Hours: hours}}
	t.Cleanup(w.store.Close)
	for i := range contacts {
		w.terms.Contacts = append(w.terms.Contacts, campaignmodels.RunContact{Index: i, Contact: contactlists.Contact{
			PhoneNumber: fmt.Sprintf("+1555111%04d", i)}})
	}
	enter := pacing.Enter{Clock: pacing.Clock{Now: monday.Add(10 * time.Hour), Lines: pacing.Lines{SMS: contacts}}, RunID: "cid-1",
		CampaignID: "cd-1", ProjectID: "bot",
		Channel: pacing.SMS, Priority: 3, Hours: hours, Contacts: contacts, Ruling: pacing.Go, Version: 2}
	res, err := eventstore.Execute(t.Context(), w.store, pacing.Pacing, pacing.Stream("acme"), eventstore.Command{Tenant: "acme",
		CorrelationID: "tr-1", CausationID: "tr-1"}, enter.Decide)
	require.NoError(t, err)
	for _, e := range res.Payloads() {
		if e, ok := e.(pacing.ContactsTaken); ok {
			w.taken = e
		}
	}
	require.Len(t, w.taken.Contacts, contacts)
	return w
}

// reactor is one of the engine's, whose clock shows these times, and the last of them for ever.
func (w *placing) reactor(name string, times ...time.Time) reactors.Reactor {
	w.Helper()
	var mu sync.Mutex
	now := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at := times[0]
		times = times[min(1, len(times)-1):]
		return at
	}
	mac := func(purpose string, parts ...string) []byte {
		sum := sha256.Sum256([]byte(purpose + "\x00" + strings.Join(parts, "\x00")))
		return sum[:]
	}
	log := acts.Log{Store: w.store, MAC: mac, Now: now}
	engine := campaignreactors.Engine{Log: log, DialOut: acts.DialOut{Log: log}, Runs: runKnown{w.terms},
		CampaignLines: pacing.Lines{SMS: len(w.terms.Contacts)}, Room: w.room}
	all := engine.Reactors()
	return all[slices.IndexFunc(all, func(r reactors.Reactor) bool { return r.Name == name })]
}

// place hands the taken contacts to a placer whose clock shows these times.
func (w *placing) place(times ...time.Time) {
	w.Helper()
	require.NoError(w, w.reactor("campaign-placer", times...).Handle(w.Context(), reactors.Event{Stream: pacing.Stream("acme"), Tenant: "acme",
		CorrelationID: "tr-1", ID: "e-1", Payload: w.taken}))
}

// texts are those that were asked for.
func (w *placing) texts() (out []texts.Requested) {
	w.Helper()
	for _, r := range w.log.Accepted() {
		if r.Topic == texts.Texts.Topic() {
			out = append(out, memory.Payload(texts.Texts.Category, r).(texts.Requested))
		}
	}
	return out
}

// calls are those that were asked for.
func (w *placing) calls() (out []calls.Requested) {
	w.Helper()
	for _, r := range w.log.Accepted() {
		if r.Topic == calls.Calls.Topic() {
			out = append(out, memory.Payload(calls.Calls.Category, r).(calls.Requested))
		}
	}
	return out
}

func (w *placing) run() pacing.Run {
	w.Helper()
	lines, err := eventstore.Read(w.Context(), w.store, pacing.Pacing, pacing.Stream("acme"))
	require.NoError(w, err)
	r, live := lines.State.Find("cid-1")
	require.True(w, live)
	return r
}

func TestTakenContactsAreAskedForOnce(t *testing.T) {
	w := newPlacing(t, 3)
	w.place(monday.Add(10 * time.Hour))
	w.place(monday.Add(11 * time.Hour))
	require.Len(t, w.texts(), 3)
	require.Equal(t, []int{0, 1, 2}, w.run().InFlight)
}

// What is asked for together shows the order of its contacts, and no time before they were taken.
func TestTakenContactsAreAskedForInTheirOrder(t *testing.T) {
	taken := monday.Add(10 * time.Hour)
	for name, later := range map[string]time.Duration{"at once": 0, "a moment later": 5 * time.Millisecond, "late": time.Hour} {
		now := taken.Add(later)
		t.Run(name, func(t *testing.T) {
			w := newPlacing(t, 40)
			w.place(now)
			asked := w.texts()
			slices.SortFunc(asked, func(a, b texts.Requested) int { return a.At.Compare(b.At) })
			for i, text := range asked {
				require.Equal(t, i, text.Campaign.Index)
				require.WithinRange(t, text.At, taken, now.Add(40*time.Millisecond))
				require.True(t, i == 0 || text.At.After(asked[i-1].At), "contact %d", i)
			}
		})
	}
}

// Given nodes that take no more calls, then the contacts of a voice campaign wait, and are asked for when there is room; those of
// messages do not.
func TestCallsWaitForRoom(t *testing.T) {
	w := newPlacing(t, 3)
	full, asked := true, 0
	w.room = func(_ context.Context, provider string, _ ...string) error {
		require.Equal(t, "sip", provider)
		if asked++; full {
			return fault.New(fault.QueueFull, "all are full")
		}
		return nil
	}
	w.place(monday.Add(10 * time.Hour))
	require.Len(t, w.texts(), 3)
	require.Zero(t, asked)

	w = newPlacing(t, 3)
	w.terms.Kind, w.terms.Call.Provider, w.terms.Call.Flow.ID = campaigns.Voice, "sip", "cf-1"
	var kept []string
	w.room = func(_ context.Context, _ string, calls ...string) error {
		if kept = calls; full {
			return fault.New(fault.QueueFull, "all are full")
		}
		return nil
	}
	place := w.reactor("campaign-placer", monday.Add(10*time.Hour)).Handle
	taken := reactors.Event{Stream: pacing.Stream("acme"), Tenant: "acme", CorrelationID: "tr-1", ID: "e-1", Payload: w.taken}
	require.True(t, fault.Is(place(t.Context(), taken), fault.QueueFull), "it is handled again, and counts as no failure")
	require.Empty(t, w.calls())
	full = false
	require.NoError(t, place(t.Context(), taken))
	require.Len(t, w.calls(), 3)
	for _, c := range w.calls() {
		require.Contains(t, kept, c.CallID, "the place of each is its own")
	}
	require.Len(t, kept, 3)
	require.Equal(t, []int{0, 1, 2}, w.run().InFlight)
}

// Given a trunk that does not answer, then the contacts of a voice campaign wait for it, and for no longer than the calling hours last;
// those of messages do not.
func TestCallsWaitForTheirTrunk(t *testing.T) {
	w := newPlacing(t, 3)
	w.terms.Unreached = "main"
	w.place(monday.Add(10 * time.Hour))
	require.Len(t, w.texts(), 3)

	w = newPlacing(t, 3)
	w.terms.Kind, w.terms.Call.Provider, w.terms.Call.Flow.ID, w.terms.Unreached = campaigns.Voice, "sip", "cf-1", "main"
	taken := reactors.Event{Stream: pacing.Stream("acme"), Tenant: "acme", CorrelationID: "tr-1", ID: "e-1", Payload: w.taken}
	err := w.reactor("campaign-placer", monday.Add(10*time.Hour)).Handle(t.Context(), taken)
	require.True(t, fault.Is(err, fault.Unavailable), "it is handled again, and counts as no failure")
	require.ErrorContains(t, err, "main")
	require.Empty(t, w.calls())
	require.Zero(t, w.run().Tally.Failed)
	w.terms.Unreached = ""
	w.place(monday.Add(10 * time.Hour))
	require.Len(t, w.calls(), 3)

	w = newPlacing(t, 3)
	w.terms.Kind, w.terms.Unreached = campaigns.Voice, "main"
	w.place(monday.Add(17 * time.Hour))
	require.Equal(t, []int{0, 1, 2}, w.run().Returned, "they have their turn at the next opening")
}

// Given calls that wait for their trunk, when their campaign is held or stopped meanwhile, then nobody is called when the trunk is
// back: they go first when the campaign goes on, and never where it does not.
func TestCallsThatWaitAreNotPlacedBehindAPause(t *testing.T) {
	for ruling, c := range map[pacing.Ruling]struct {
		returned []int
		live     bool
	}{pacing.Hold: {[]int{0, 1, 2}, true}, pacing.Stop: {nil, false}} {
		w := newPlacing(t, 3)
		w.terms.Kind, w.terms.Call.Provider, w.terms.Call.Flow.ID, w.terms.Unreached = campaigns.Voice, "sip", "cf-1", "main"
		place := w.reactor("campaign-placer", monday.Add(10*time.Hour)).Handle
		taken := reactors.Event{Stream: pacing.Stream("acme"), Tenant: "acme", CorrelationID: "tr-1", ID: "e-1", Payload: w.taken}
		require.True(t, fault.Is(place(t.Context(), taken), fault.Unavailable))
		require.Equal(t, []int{0, 1, 2}, w.run().InFlight)

		steer := pacing.Steer{Clock: pacing.Clock{Now: monday.Add(10 * time.Hour)}, RunID: "cid-1", Ruling: ruling, Version: 3}
		by := eventstore.Command{Tenant: "acme", CorrelationID: "tr-1", CausationID: "tr-1"}
		require.NoError(t, eventstore.Do(t.Context(), w.store, pacing.Pacing, pacing.Stream("acme"), by, steer.Decide))
		require.True(t, fault.Is(place(t.Context(), taken), fault.Unavailable), "it comes again: the campaign may just go on")
		lines, err := eventstore.Read(t.Context(), w.store, pacing.Pacing, pacing.Stream("acme"))
		require.NoError(t, err)
		r, live := lines.State.Find("cid-1")
		require.Equal(t, c.live, live, ruling)
		require.Equal(t, c.returned, r.Returned, ruling)
		require.Empty(t, r.InFlight, ruling)

		w.terms.Unreached, w.terms.Contacts = "", nil // as the read model has it: none is taken
		w.place(monday.Add(10 * time.Hour))
		require.Empty(t, w.calls(), ruling)
	}
}

// Given a contact who was erased since the turn came, then nobody is written to, and the line
// is free for the next.
func TestAnErasedContactIsNotAskedFor(t *testing.T) {
	w := newPlacing(t, 3)
	w.terms.Contacts[1].Contact = contactlists.Contact{PhoneNumber: projections.Erased}
	w.place(monday.Add(10 * time.Hour))
	all := w.texts()
	require.Len(t, all, 2)
	for _, m := range all {
		require.NotContains(t, m.To, projections.Erased)
	}
	require.Equal(t, []int{0, 2}, w.run().InFlight)
	require.Equal(t, 1, w.run().Tally.Failed)
}

// Who is asked for while the calling hours end is not reached after their end.
func TestTheCloseComesWhileContactsArePlaced(t *testing.T) {
	w := newPlacing(t, 30)
	closes := monday.Add(17 * time.Hour)
	w.place(closes.Add(-time.Second), closes.Add(time.Second))
	all := w.texts()
	require.Len(t, all, 30)
	for _, m := range all {
		require.Equal(t, closes, m.SendBy, m.To)
	}
}

func TestContactsAreHandedBackOutsideTheHours(t *testing.T) {
	w := newPlacing(t, 3)
	w.place(monday.Add(17 * time.Hour))
	require.Empty(t, w.texts())
	require.Equal(t, []int{0, 1, 2}, w.run().Returned)
}

// Contacts that nobody placed and nobody handed back would have their lines for ever.
func TestTheOpeningComesWhileContactsAreHandedBack(t *testing.T) {
	w := newPlacing(t, 3)
	opens := monday.AddDate(0, 0, 7).Add(9 * time.Hour)
	w.place(opens.Add(-time.Millisecond), opens.Add(time.Millisecond))
	require.Empty(t, w.texts())
	r := w.run()
	require.Equal(t, []int{0, 1, 2}, r.Returned)
	require.Empty(t, r.InFlight)
}
