package erasures_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/retention"
)

var (
	t0        = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	ann       = privacy.Identity{Kind: privacy.Telephone, Value: "+15550001"}
	requested = erasures.Requested{ErasureID: "er-1", TenantID: "acme", Identities: []privacy.Identity{ann}, At: t0}
	places    = []erasures.Place{{Stream: "call-1"}, {Stream: "contactlist-acme.shop", Keys: []string{"vafh4IWewPq4YkknoFi3Rg"}}}
	found     = erasures.Found{Places: places, At: t0}
	forgotten = erasures.Forgotten{Counts: map[string]int{"calls": 1, "contactlists": 1}, At: t0}
	nowhere   = erasures.Completed{Counts: map[string]int{}, At: t0}
	aged      = erasures.Aged{ProjectID: "shop", Before: map[retention.Kind]time.Time{retention.Calls: t0.AddDate(0, 0, -90)}}
	expired   = erasures.Expired{ErasureID: "er-1", TenantID: "acme", ProjectID: "shop", Before: aged.Before, At: t0}
	completed = erasures.Completed{Counts: map[string]int{"calls": 1, "contactlists": 1}, At: t0}
)

func started(n int) erasures.Started {
	return erasures.Started{Attempt: n, At: t0, LeaseUntil: t0.Add(30 * time.Second)}
}

func failed(n int) erasures.AttemptFailed {
	return erasures.AttemptFailed{Attempt: n, Reason: "the log is away", At: t0, RetryAt: t0.Add(2 * time.Second)}
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, erasures.Jobs.Category, "testdata/events", requested, expired, started(1), failed(1),
		erasures.Requeued{Attempt: 1, At: t0}, found, erasures.NotFound{Attempt: 3, At: t0, AgainAt: t0.Add(time.Minute)}, forgotten, completed,
		erasures.Erased{Erasure: event.Erasure{ErasureID: "er-1", At: t0}})
}

type decider interface {
	Decide(erasures.State) ([]event.Payload, error)
}

func TestTheLifeOfAJob(t *testing.T) {
	start := erasures.Start{At: t0, LeaseUntil: t0.Add(30 * time.Second)}
	find := func(n int, places ...erasures.Place) erasures.Find {
		return erasures.Find{Attempt: n, Places: places, At: t0}
	}
	forget := func(n int) erasures.Forget {
		return erasures.Forget{Attempt: n, Counts: forgotten.Counts, At: t0}
	}
	calmly := func(n int, places ...erasures.Place) erasures.Find {
		return erasures.Find{Attempt: n, Places: places, At: t0, Calm: time.Minute}
	}
	notFound := erasures.NotFound{Attempt: 3, At: t0, AgainAt: t0.Add(time.Minute)}
	fail := erasures.FailAttempt{Failure: attempt.Failure{Number: 1, Reason: "the log is away", Final: true, Pause: 2 * time.Second, At: t0}}
	wake := func(after time.Duration) erasures.Wake { return erasures.Wake{At: t0.Add(after)} }
	requeued := func(after time.Duration) erasures.Requeued {
		return erasures.Requeued{Attempt: 1, At: t0.Add(after)}
	}
	expire := erasures.Expire{ErasureID: "er-1", TenantID: "acme", Aged: aged, At: t0}
	looks := []event.Payload{requested, started(1)}
	old := slices.Clip([]event.Payload{expired, started(1)})
	beside := erasures.Found{Places: []erasures.Place{{Stream: "thread-1"}}, Left: places, At: t0}
	forgets := slices.Clip(append(looks, found, started(2)))
	looksAgain := slices.Clip(append(forgets, forgotten, started(3)))
	calm := slices.Clip(append(looksAgain, notFound))
	secondLook := slices.Clip(append(calm, erasures.Requeued{Attempt: 3, At: t0.Add(time.Minute)}, started(4)))
	for name, c := range map[string]struct {
		given []event.Payload
		when  decider
		then  []event.Payload
	}{
		"a queued job is begun":           {[]event.Payload{requested}, start, []event.Payload{started(1)}},
		"not twice":                       {looks, start, nil},
		"not what is unknown":             {nil, start, nil},
		"the person is found":             {looks, find(1, places...), []event.Payload{found}},
		"by the step under way":           {looks, find(2, places...), nil},
		"and then it goes on":             {append(looks, found), start, []event.Payload{started(2)}},
		"not found twice":                 {forgets, find(2, places...), nil},
		"nor nowhere meanwhile":           {forgets, find(2), nil},
		"the person is forgotten":         {forgets, forget(2), []event.Payload{forgotten}},
		"by that step":                    {forgets, forget(1), nil},
		"not before being found":          {looks, forget(1), nil},
		"then it looks again":             {append(forgets, forgotten), start, []event.Payload{started(3)}},
		"and finds nothing":               {looksAgain, find(3), []event.Payload{completed}},
		"or something that was new":       {looksAgain, find(3, places...), []event.Payload{found}},
		"which is not believed at once":   {looksAgain, calmly(3), []event.Payload{notFound}},
		"but after a pause":               {calm, wake(time.Minute - 1), nil},
		"is looked for again":             {calm, wake(time.Minute), []event.Payload{erasures.Requeued{Attempt: 3, At: t0.Add(time.Minute)}}},
		"and then it is done":             {secondLook, calmly(4), []event.Payload{completed}},
		"unless somebody wrote meanwhile": {secondLook, calmly(4, places...), []event.Payload{found}},
		"and then there is a pause again": {append(secondLook, found, started(5), forgotten, started(6)), calmly(6),
			[]event.Payload{erasures.NotFound{Attempt: 6, At: t0, AgainAt: t0.Add(time.Minute)}}},
		"what is too old is a job, too": {nil, expire, []event.Payload{expired}},
		"asked for once":                {[]event.Payload{expired}, expire, nil},
		"and made in steps like others": {[]event.Payload{expired}, start, []event.Payload{started(1)}},
		"what goes on is left to the next day": {append(old, found, started(2), forgotten, started(3)), find(3, places...),
			[]event.Payload{completed}},
		"and what does not is not": {append(old, found, started(2), forgotten, started(3)), find(3, append(slices.Clip(places),
			erasures.Place{Stream: "thread-1"})...), []event.Payload{beside}},
		"nor is what goes on taken up by a later step": {append(old, found, started(2), forgotten, started(3), beside, started(4),
			erasures.Forgotten{At: t0}, started(5)), find(5, append(slices.Clip(places), erasures.Place{Stream: "thread-1"})...),
			[]event.Payload{completed}},
		"nobody was ever there": {looks, find(1), []event.Payload{nowhere}},
		"nothing after the end": {append(looksAgain, completed), find(3), nil},
		"nor another step":      {append(looksAgain, completed), start, nil},
		"a step that fails is made again, whatever the fault": {looks, fail, []event.Payload{failed(1)}},
		"one that fails late":      {forgets, fail, nil},
		"a lease that holds":       {looks, wake(30*time.Second - time.Millisecond), nil},
		"a lease that has run out": {looks, wake(30 * time.Second), []event.Payload{requeued(30 * time.Second)}},
		"a pause that is over": {append(looks, failed(1)), wake(2 * time.Second),
			[]event.Payload{requeued(2 * time.Second)}},
		"a timer of nothing":         {nil, wake(time.Hour), nil},
		"a timer after the end":      {append(looksAgain, completed), wake(time.Hour), nil},
		"what a lapsed worker found": {append(looks, requeued(0)), find(1, places...), nil},
	} {
		got, err := c.when.Decide(erasures.Jobs.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
	done := erasures.Jobs.State(append(looksAgain, found, started(4), forgotten)...)
	require.Equal(t, map[string]int{"calls": 2, "contactlists": 2}, done.Counts)
	require.Equal(t, aged, erasures.Jobs.State(expired).Aged)
}

func TestRequests(t *testing.T) {
	request := func(identities ...privacy.Identity) erasures.Request {
		return erasures.Request{ErasureID: "er-1", TenantID: "acme", Identities: identities, At: t0}
	}
	other := privacy.Identity{Kind: privacy.Telephone, Value: "tel:+1-555-0001"}
	got, err := request(ann, other).Decide(erasures.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{requested}, got, "another spelling is the same")

	_, err = request(ann).Decide(erasures.Jobs.State(requested))
	require.True(t, fault.Is(err, fault.Conflict))
	for field, c := range map[string]erasures.Request{
		"identities":          request(),
		"identities[1].kind":  request(ann, privacy.Identity{Kind: "shoe", Value: "42"}),
		"identities[0].value": request(privacy.Identity{Kind: privacy.Email, Value: "ann"}),
	} {
		_, err := c.Decide(erasures.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
	_, err = request(make([]privacy.Identity, privacy.MaxIdentities+1)...).Decide(erasures.State{})
	require.Equal(t, []string{"identities"}, faulttest.Fields(t, err))
}
