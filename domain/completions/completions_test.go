package completions_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
)

var (
	now     = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	till    = now.Add(completions.AnswerKept)
	cost    = int64(10*150_000 + 5*600_000)
	figures = completions.Figures{CompletionID: "c-1", TenantID: "acme", ProjectID: "shop", SessionID: "s-1",
		ModelID: "small", Provider: "openai", Model: "gpt-4o-mini-2024-07-18", TokensIn: 10, TokensOut: 5, PriceVersion: "2026-11",
		Cost: &cost, LatencyMs: 120, Streamed: true}
	finished = completions.Finished{Figures: figures, FinishReason: completions.EndTurn, Blob: "completions/acme/1",
		KeptTill: &till, At: now}
	failed  = completions.Failed{Figures: figures, Reason: completions.Left, At: now}
	dropped = completions.AnswerDropped{CompletionID: "c-1", At: till}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, completions.Completions.Category, "testdata/events", finished, failed, dropped)
}

func TestACompletionEndsOnce(t *testing.T) {
	record := completions.Record{Figures: figures, FinishReason: completions.EndTurn, Blob: "completions/acme/1", At: now}
	fail := completions.Fail{Figures: figures, Reason: completions.Left, At: now}
	drop := func(at time.Time) func(completions.State) ([]event.Payload, error) {
		return completions.DropAnswer{At: at}.For("c-1")
	}
	erase, erased := completions.DropAnswer{Erased: true, At: now}, completions.AnswerDropped{CompletionID: "c-1", At: now}
	for name, c := range map[string]struct {
		given  []event.Payload
		decide func(completions.State) ([]event.Payload, error)
		want   []event.Payload
		code   fault.Code
	}{
		"finished":           {nil, record.Decide, []event.Payload{finished}, ""},
		"finished twice":     {[]event.Payload{finished}, record.Decide, nil, fault.Conflict},
		"failed":             {nil, fail.Decide, []event.Payload{failed}, ""},
		"failed behind":      {[]event.Payload{finished}, fail.Decide, nil, fault.Conflict},
		"finished behind":    {[]event.Payload{failed}, record.Decide, nil, fault.Conflict},
		"dropped":            {[]event.Payload{finished}, drop(till), []event.Payload{dropped}, ""},
		"dropped too early":  {[]event.Payload{finished}, drop(till.Add(-1)), nil, ""},
		"erased":             {[]event.Payload{finished}, erase.For("c-1"), []event.Payload{erased}, ""},
		"erased twice":       {[]event.Payload{finished, erased}, erase.For("c-1"), nil, ""},
		"nothing to erase":   {[]event.Payload{failed}, erase.For("c-1"), nil, ""},
		"dropped twice":      {[]event.Payload{finished, dropped}, drop(till), nil, ""},
		"nothing to drop":    {[]event.Payload{failed}, drop(till), nil, ""},
		"nothing ever there": {nil, drop(till), nil, ""},
	} {
		got, err := c.decide(completions.Completions.State(c.given...))
		require.Equal(t, c.code, fault.CodeOf(err), name)
		require.Equal(t, c.want, got, name)
	}
}

func TestWhatAnAnswerCosts(t *testing.T) {
	price := completions.Pricing{Version: "v", In: 150_000, Out: 600_000}
	require.Equal(t, cost, *price.Cost(completions.Usage{TokensIn: 10, TokensOut: 5}))
	require.Nil(t, completions.Pricing{In: 1}.Cost(completions.Usage{TokensIn: 1}), "nobody knows the price")
	require.Zero(t, *completions.Pricing{Version: "free"}.Cost(completions.Usage{TokensIn: 1}))
	require.Nil(t, price.Cost(completions.Usage{TokensIn: 1 << 60}), "it would not fit")
	f := completions.Figures{}.Counted(completions.Finish{Usage: completions.Usage{TokensIn: 1}, Pricing: completions.Pricing{}})
	require.Nil(t, f.Cost)
	require.Empty(t, f.PriceVersion)
}

func TestAnAnswerIsCollectedAndEstimated(t *testing.T) {
	var a completions.Answer
	request := completions.Request{Messages: []completions.Message{{Text: "12345678"}}, Tools: []completions.Tool{{Name: "find"}}}
	require.Zero(t, a.Estimate(request), "no model began")
	call := completions.ToolCall{ID: "1", Name: "find", Arguments: `{"a":1}`}
	for _, p := range []completions.Piece{
		{Kind: completions.Begun, Chosen: completions.Chosen{ModelID: "small"}}, {Kind: completions.TextDelta, Text: "Hel"},
		{Kind: completions.TextDelta, Text: "lo"}, {Kind: completions.ToolStarted, Call: completions.ToolCall{ID: "1", Name: "find"}},
		{Kind: completions.ToolArguments, Call: completions.ToolCall{ID: "1", Arguments: `{"a":`}},
		{Kind: completions.ToolArguments, Call: completions.ToolCall{ID: "1", Arguments: `1}`}}, {Kind: completions.ToolEnded, Call: call},
	} {
		a.Take(p)
	}
	require.Equal(t, "Hello", a.Text())
	require.Equal(t, []completions.ToolCall{call}, a.Calls())
	require.Equal(t, completions.Usage{TokensIn: 3, TokensOut: 3, Estimated: true}, a.Estimate(request))
}

// An estimate counts what goes to the model: texts, calls of tools and the tools themselves, four bytes a token.
func TestWhatAnEstimateCounts(t *testing.T) {
	var a completions.Answer
	asked := completions.Request{Messages: []completions.Message{{Text: "12345678"}}}
	require.Equal(t, completions.Usage{}, a.Estimate(asked), "no model began")
	a.Chosen.ModelID = "m"
	for want, r := range map[int64]completions.Request{
		0: {},
		1: {Messages: []completions.Message{{Text: "1"}}},
		2: {Messages: []completions.Message{{Text: "1234"}, {Text: "5"}}},
		3: {Messages: []completions.Message{{ToolCalls: []completions.ToolCall{{Name: "weather", Arguments: "{}xyz"}}}}},
		5: {Tools: []completions.Tool{{Name: "weather", Description: "says it", Parameters: []byte("{\"a\":1}")[:6]}}},
	} {
		require.Equal(t, completions.Usage{TokensIn: want, Estimated: true}, a.Estimate(r))
	}
}

// What a provider told before the answer was cut off goes before an estimate, but for less than what has come.
func TestAnEstimateWithWhatWasTold(t *testing.T) {
	guess := completions.Usage{TokensIn: 10, TokensOut: 20, Estimated: true}
	for name, c := range map[string]struct{ by, want completions.Usage }{
		"nothing":  {completions.Usage{}, guess},
		"in":       {completions.Usage{TokensIn: 1}, completions.Usage{TokensIn: 1, TokensOut: 20, Estimated: true}},
		"more out": {completions.Usage{TokensOut: 21}, completions.Usage{TokensIn: 10, TokensOut: 21, Estimated: true}},
		"less out": {completions.Usage{TokensOut: 19}, guess},
	} {
		require.Equal(t, c.want, guess.Told(c.by), name)
	}
}

func TestWhichFilesModelsAreShown(t *testing.T) {
	require.True(t, completions.IsPicture("image/webp", completions.LargestPicture))
	require.False(t, completions.IsPicture("image/webp", completions.LargestPicture+1))
	require.False(t, completions.IsPicture("image/tiff", 1))
	require.EqualValues(t, 1_048_576, completions.LargestPicture)
}

func TestDollarsInPico(t *testing.T) {
	require.EqualValues(t, 1_500_000_000_000, completions.Pico(1.5))
	require.Equal(t, "0.000000000001", completions.USD(1))
	require.Equal(t, "1234567.5", completions.USD(completions.Pico(1_234_567.5)))
	require.EqualValues(t, 80, completions.MostOf(100))
	require.EqualValues(t, 4, completions.MostOf(4), "less than a fifth is nothing")
}
