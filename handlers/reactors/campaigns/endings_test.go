package campaigns_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors"
)

// sent is the end of the text of a contact.
func sent(contact int) reactors.Event {
	return reactors.Event{Stream: texts.Texts.Stream(fmt.Sprint("text-", contact)), Tenant: "acme", CorrelationID: "tr-1",
		ID: fmt.Sprint("sent-", contact), Payload: texts.Sent{Campaign: &texts.Campaign{CampaignID: "cd-1", RunID: "cid-1", Index: contact}}}
}

// finished are the contacts that have their outcome.
func (w *placing) finished() (out []int) {
	for _, r := range w.log.Accepted() {
		if r.Topic != pacing.Pacing.Topic() {
			continue
		}
		if e, ok := memory.Payload(pacing.Pacing.Category, r).(pacing.ContactFinished); ok {
			out = append(out, e.Contact)
		}
	}
	return out
}

// Given calls and texts that end at once, then each outcome counts once, and is on the log
// when its handler returns.
func TestOutcomesThatComeAtOnceAllCount(t *testing.T) {
	w := newPlacing(t, 30)
	outcomes := w.reactor("campaign-outcomes", monday.Add(10*time.Hour))
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			if err := outcomes.Handle(t.Context(), sent(i/2)); err != nil {
				t.Errorf("contact %d: %s", i/2, err)
			}
			if !slices.Contains(w.finished(), i/2) {
				t.Errorf("contact %d is not on the log", i/2)
			}
		})
	}
	all.Wait()
	require.Len(t, w.finished(), 30, "each once")
}

// Given a log that is away, when outcomes are told together, then each is told again, and
// nobody waits for one who has failed.
func TestOutcomesWhoseCommitFailedAreToldAgain(t *testing.T) {
	w := newPlacing(t, 3)
	outcomes := w.reactor("campaign-outcomes", monday.Add(10*time.Hour))
	w.log.Fail(memory.Faults{Append: func([]*eventstore.Record) error { return fault.New(fault.NotExecuted, "away") }})
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			if outcomes.Handle(t.Context(), sent(i)) == nil {
				t.Error("an outcome was taken that is not on the log")
			}
		})
	}
	all.Wait()
	w.log.Fail(memory.Faults{})
	for i := range 3 {
		require.NoError(t, outcomes.Handle(t.Context(), sent(i)))
	}
	require.ElementsMatch(t, []int{0, 1, 2}, w.finished())
}
