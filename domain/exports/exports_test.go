package exports_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/searchindexes"
)

var (
	t0        = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	requested = exports.Requested{JobID: "fj-1", TenantID: "acct", ProjectID: "shop", SearchIndexID: "si-1", IndexVersion: 3,
		Features: []searchindexes.Feature{searchindexes.ChunkStages, searchindexes.AnswerConfig}, At: t0}
	file = exports.File{ID: "file-1", Name: "si-1.zip", Blob: "exports/acct/fj-1/abc.zip", SizeBytes: 12, SHA256: "abc"}
)

func started(n int) exports.Started {
	return exports.Started{Attempt: n, At: t0, LeaseUntil: t0.Add(30 * time.Second)}
}

func failedAttempt(n int) exports.AttemptFailed {
	return exports.AttemptFailed{Attempt: n, Reason: "no space", At: t0, RetryAt: t0.Add(2 * time.Second)}
}

func succeeded(attempt int) exports.Succeeded {
	return exports.Succeeded{TenantID: "acct", Attempt: attempt, FileID: "file-1", FileName: "si-1.zip", Blob: "exports/acct/fj-1/abc.zip",
		SizeBytes: 12, SHA256: "abc",
		Features: []exports.FeatureResult{{Feature: searchindexes.ChunkStages, Status: "success"}, {Feature: searchindexes.AnswerConfig,
			Status: "success"}}, At: t0}
}

var lastFailure = exports.Failed{Reason: "no space", At: t0}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, exports.Jobs.Category, "testdata/events", requested, started(1), failedAttempt(1), exports.Requeued{Attempt: 1,
		At: t0}, succeeded(1), lastFailure)
}

type decider interface {
	Decide(exports.State) ([]event.Payload, error)
}

func TestTheLifeOfAJob(t *testing.T) {
	start := exports.Start{At: t0, LeaseUntil: t0.Add(30 * time.Second)}
	finish := exports.Finish{File: file, At: t0}
	fail := func(n int, final bool) exports.FailAttempt {
		return exports.FailAttempt{Failure: attempt.Failure{Number: n, Reason: "no space", Final: final, Pause: 2 * time.Second, At: t0}}
	}
	wake := func(after time.Duration) exports.Wake { return exports.Wake{At: t0.Add(after)} }
	requeued := func(after time.Duration) exports.Requeued {
		return exports.Requeued{Attempt: 1, At: t0.Add(after)}
	}
	for name, c := range map[string]struct {
		given []event.Payload
		when  decider
		then  []event.Payload
	}{
		"a queued job is begun": {[]event.Payload{requested}, start, []event.Payload{started(1)}},
		"not twice":             {[]event.Payload{requested, started(1)}, start, nil},
		"not while it waits":    {[]event.Payload{requested, started(1), failedAttempt(1)}, start, nil},
		"once more when it is due": {[]event.Payload{requested, started(1), failedAttempt(1), requeued(2 * time.Second)}, start,
			[]event.Payload{started(2)}},
		"not what is unknown": {nil, start, nil},
		"the file ends it":    {[]event.Payload{requested, started(1)}, finish, []event.Payload{succeeded(1)}},
		"one file only":       {[]event.Payload{requested, started(1), succeeded(1)}, finish, nil},
		"a file of a worker past its lease": {[]event.Payload{requested, started(1), requeued(time.Minute)}, finish,
			[]event.Payload{succeeded(1)}},
		"no file after the failure":          {[]event.Payload{requested, started(1), lastFailure}, finish, nil},
		"no file before the start":           {[]event.Payload{requested}, finish, nil},
		"a failed attempt is tried again":    {[]event.Payload{requested, started(1)}, fail(1, false), []event.Payload{failedAttempt(1)}},
		"a hopeless one is not":              {[]event.Payload{requested, started(1)}, fail(1, true), []event.Payload{lastFailure}},
		"the last but one":                   {[]event.Payload{requested, started(4)}, fail(4, false), []event.Payload{failedAttempt(4)}},
		"the last one":                       {[]event.Payload{requested, started(5)}, fail(5, false), []event.Payload{lastFailure}},
		"an earlier attempt that fails late": {[]event.Payload{requested, started(2)}, fail(1, false), nil},
		"a lease that holds":                 {[]event.Payload{requested, started(1)}, wake(30*time.Second - time.Millisecond), nil},
		"a lease that has run out": {[]event.Payload{requested, started(1)}, wake(30 * time.Second),
			[]event.Payload{requeued(30 * time.Second)}},
		"a lease that has run out for the last": {[]event.Payload{requested, started(5)}, wake(30 * time.Second),
			[]event.Payload{exports.Failed{Reason: "the export was begun several times and never finished", At: t0.Add(30 * time.Second)}}},
		"a pause that lasts": {[]event.Payload{requested, started(1), failedAttempt(1)}, wake(time.Second), nil},
		"a pause that is over": {[]event.Payload{requested, started(1), failedAttempt(1)}, wake(2 * time.Second),
			[]event.Payload{requeued(2 * time.Second)}},
		"a timer that fires twice":                {[]event.Payload{requested, started(1), requeued(time.Minute)}, wake(2 * time.Minute), nil},
		"a timer of a job that ended in the mean": {[]event.Payload{requested, started(1), succeeded(1)}, wake(time.Hour), nil},
		"a timer of nothing":                      {nil, wake(time.Hour), nil},
	} {
		got, err := c.when.Decide(exports.Jobs.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
}

func TestRequests(t *testing.T) {
	request := func(features ...string) exports.Request {
		return exports.Request{JobID: "fj-1", TenantID: "acct", ProjectID: "shop", IndexID: "si-1", IndexVersion: 3, Features: features, At: t0}
	}
	got, err := request("answerConfig", "chunkStages").Decide(exports.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{requested}, got, "in the order of the spec")

	got, err = request().Decide(exports.State{})
	require.NoError(t, err)
	require.Equal(t, searchindexes.Features(), got[0].(exports.Requested).Features, "none means all")

	without := request()
	without.IndexID, without.IndexVersion = "", 0
	got, err = without.Decide(exports.State{})
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, exports.Failed{Reason: exports.NoIndex, At: t0}, got[1])
	require.Equal(t, exports.Failure, exports.Jobs.State(got...).Status)

	_, err = request().Decide(exports.Jobs.State(requested))
	require.True(t, fault.Is(err, fault.Conflict))
	for _, features := range [][]string{{"chunkStages", "chunkstages"}, {"chunkStages", "chunkStages"}, {"chunkStages", ""}} {
		_, err = request(features...).Decide(exports.State{})
		require.Equal(t, []string{"features[1]"}, faulttest.Fields(t, err))
	}
}
