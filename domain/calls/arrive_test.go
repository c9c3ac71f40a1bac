package calls_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

const connectionCall = "018f0000-0000-8000-8000-000000000003"

func arrive(change ...func(*calls.Arrive)) calls.Arrive {
	c := calls.Arrive{CallID: connectionCall, TenantID: "acme", ProjectID: "a-1", ConnectionID: "cn-1", Provider: calls.ProviderTwilio,
		ProviderID: "CA1", Person: "+15550000001", OurNumber: "+15550100", Direction: calls.Inbound, AgentName: "desk",
		DeploymentID: "dp-1", Environment: "dev",
		AnswerBy: after(600_000), At: noon}
	for _, f := range change {
		f(&c)
	}
	return c
}

func arrived(change ...func(*calls.Arrive)) calls.Arrived {
	events, err := arrive(change...).Decide(calls.State{})
	if err != nil {
		panic(err)
	}
	return events[0].(calls.Arrived)
}

func room(c *calls.Arrive) {
	c.Provider, c.ProviderID, c.SessionID = calls.ProviderLiveKit, "t_acme__p_a-1__s_s-9", "s-9"
}

func page(c *calls.Arrive) { c.Provider = calls.ProviderPage }

func soon(c *calls.Arrive) { c.AnswerBy = after(15_000) }

func pipeline(c *calls.Arrive) { c.Provider = calls.ProviderPipeline }

// atTrunk makes it a call that rings at a trunk of ours.
func atTrunk(c *calls.Arrive) {
	c.ConnectionID, c.Provider, c.ProviderID, c.DeploymentID, c.Environment = "", calls.ProviderSIP, "a84b4c76e66710@pbx", "", ""
	c.AnswerBy, c.Trunk, c.Branch, c.Try, c.Node = after(30_000), "main", "z9hG4bK776asdhds", "try-1", "n1"
	c.Flow = &calls.Flow{ID: "cf-1", Name: "Desk", AgentName: "desk", Language: "en", Talks: true}
}

var (
	came    = arrived()
	talks   = calls.Answered{SessionID: "s-1", At: after(1_000), ConnectDurationMs: 1_000}
	awaited = calls.LeaseRenewed{At: after(1_000), LeaseUntil: after(61_000)}
	taken   = calls.LineTaken{Try: "try-1", StreamID: "MZ1", Node: "n1", At: after(2_000), LeaseUntil: after(32_000)}
)

// told is what a provider says, as an event.
func told(status calls.Told, raw string, sequence, ms int) calls.StatusTold {
	return calls.StatusTold{Status: status, Raw: raw, Sequence: ptr(sequence), At: after(ms)}
}

func TestACallThatAProviderBrings(t *testing.T) {
	next := func(status calls.Told, raw string, sequence, ms int) calls.Tell {
		return calls.Tell{Status: status, Raw: raw, Sequence: ptr(sequence), At: after(ms), SessionID: "s-1", Until: after(999_000)}
	}
	late := func(e calls.StatusTold) calls.StatusTold {
		e.Late = true
		return e
	}
	completed := func(ms int, duration int64) calls.Completed {
		return calls.Completed{At: after(ms), By: calls.ByCallee, Cause: "the provider says so", ReasonCode: calls.ReasonCallerDisconnected,
			Reason: "200 OK", DurationMs: duration, SessionID: "s-1"}
	}
	short := next(calls.ToldCompleted, "completed", 3, 9_000)
	short.Duration = ptr(4 * time.Second)
	shortly := told(calls.ToldCompleted, "completed", 3, 9_000)
	shortly.DurationMs = ptr(int64(4_000))
	for name, c := range map[string]scenario{
		"it comes once": {[]event.Payload{came}, arrive(), nil},
		"it rings": {[]event.Payload{came}, next(calls.ToldRinging, "ringing", 1, 500),
			[]event.Payload{told(calls.ToldRinging, "ringing", 1, 500), calls.Ringing{At: after(500)}}},
		"it is answered": {[]event.Payload{came}, calls.Answer{SessionID: "s-1", At: after(1_000)}, []event.Payload{talks}},
		"it is answered elsewhere": {[]event.Payload{came}, next(calls.ToldInProgress, "in-progress", 2, 1_000),
			[]event.Payload{told(calls.ToldInProgress, "in-progress", 2, 1_000), talks,
				calls.LeaseRenewed{At: after(1_000), LeaseUntil: after(999_000)}}},
		"the same twice": {[]event.Payload{came, told(calls.ToldRinging, "ringing", 1, 500)}, next(calls.ToldRinging, "ringing", 1, 700), nil},
		"an older word behind a newer one": {[]event.Payload{came, told(calls.ToldInProgress, "in-progress", 2, 900), talks},
			next(calls.ToldRinging, "ringing", 1, 1_200), []event.Payload{late(told(calls.ToldRinging, "ringing", 1, 1_200))}},
		"the callee hangs up": {[]event.Payload{came, talks}, next(calls.ToldCompleted, "completed", 3, 5_000),
			[]event.Payload{told(calls.ToldCompleted, "completed", 3, 5_000), completed(5_000, 4_000)}},
		"only its end is told": {[]event.Payload{came}, short, []event.Payload{shortly,
			calls.Answered{SessionID: "s-1", At: after(5_000), ConnectDurationMs: 5_000}, completed(9_000, 4_000)}},
		"busy": {[]event.Payload{came}, next(calls.ToldFailed, "busy", 2, 3_000), []event.Payload{told(calls.ToldFailed, "busy", 2, 3_000),
			calls.Failed{At: after(3_000), SIPCode: 486, ReasonCode: calls.ReasonBusy, Reason: "486 Busy Here", ConnectDurationMs: 3_000}}},
		"it fails in the middle": {[]event.Payload{came, talks}, next(calls.ToldFailed, "failed", 3, 5_000), []event.Payload{
			told(calls.ToldFailed, "failed", 3, 5_000), calls.Completed{At: after(5_000), By: calls.ByGateway, Cause: "failed",
				ReasonCode: calls.ReasonGatewayDisconnected, Reason: "200 OK", DurationMs: 4_000, SessionID: "s-1"}}},
		"a word behind its end": {[]event.Payload{came, talks, completed(5_000, 4_000)}, next(calls.ToldCompleted, "completed", 3, 6_000),
			[]event.Payload{told(calls.ToldCompleted, "completed", 3, 6_000)}},
		"its line is taken": {[]event.Payload{came, talks}, calls.TakeLine{Try: "try-1", StreamID: "MZ1", Node: "n1", At: after(2_000),
			LeaseUntil: after(32_000)}, []event.Payload{taken}},
		"by the same try": {[]event.Payload{came, talks, taken}, calls.TakeLine{Try: "try-1"}, nil},
		"nobody answers": {[]event.Payload{came}, calls.ExpireLease{At: after(600_000)}, []event.Payload{calls.Failed{At: after(600_000),
			SIPCode: 487, ReasonCode: calls.ReasonTemporarilyUnavailable, Reason: "487 Request Terminated", ConnectDurationMs: 600_000}}},
		"nothing more is heard of it": {[]event.Payload{came, talks}, calls.ExpireLease{At: after(600_000)}, []event.Payload{
			calls.Completed{At: after(600_000), By: calls.ByGateway, Cause: "nothing more was heard of it",
				ReasonCode: calls.ReasonGatewayDisconnected, Reason: "200 OK", DurationMs: 599_000, SessionID: "s-1"}}},
		"its line is waited for": {[]event.Payload{came, talks}, calls.AwaitLine{At: after(1_000)}, []event.Payload{awaited}},
		"once":                   {[]event.Payload{came, talks, awaited}, calls.AwaitLine{At: after(2_000)}, nil},
		"not of a call that goes on elsewhere": {[]event.Payload{came, talks, awaited, calls.LeaseRenewed{At: after(5_000),
			LeaseUntil: after(999_000)}}, calls.AwaitLine{At: after(90_000)}, nil},
		"not where it is there":     {[]event.Payload{came, talks, taken}, calls.AwaitLine{At: after(2_000)}, nil},
		"not of one that rings":     {[]event.Payload{came}, calls.AwaitLine{At: after(1_000)}, nil},
		"not of one that is sooner": {[]event.Payload{arrived(page, soon), talks}, calls.AwaitLine{At: after(1_000)}, nil},
		"and does not come": {[]event.Payload{came, talks, awaited}, calls.ExpireLease{At: after(61_000)}, []event.Payload{
			calls.Completed{At: after(1_000), By: calls.ByGateway, Cause: "its line was not taken",
				ReasonCode: calls.ReasonGatewayDisconnected, Reason: "200 OK", SessionID: "s-1"}}},
		"the node that answered a page is lost": {[]event.Payload{arrived(page), talks}, calls.ExpireLease{At: after(600_000)}, []event.Payload{
			calls.Completed{At: after(1_000), By: calls.ByGateway, Cause: "its line was not taken",
				ReasonCode: calls.ReasonGatewayDisconnected, Reason: "200 OK", SessionID: "s-1"}}},
		"the node that answered a pipeline is lost": {[]event.Payload{arrived(pipeline), talks}, calls.ExpireLease{At: after(600_000)},
			[]event.Payload{calls.Completed{At: after(1_000), By: calls.ByGateway, Cause: "its line was not taken",
				ReasonCode: calls.ReasonGatewayDisconnected, Reason: "200 OK", SessionID: "s-1"}}},
		"the node that has its line is lost": {[]event.Payload{came, talks, taken}, calls.ExpireLease{At: after(32_000)}, []event.Payload{
			calls.Completed{At: after(2_000), By: calls.ByGateway, Cause: "node lost", ReasonCode: calls.ReasonGatewayDisconnected,
				Reason: "200 OK", DurationMs: 1_000, SessionID: "s-1"}}},
		"nobody comes to a room": {[]event.Payload{arrived(room)}, next(calls.ToldCompleted, "room_finished", 3, 5_000), []event.Payload{
			told(calls.ToldCompleted, "room_finished", 3, 5_000), calls.Failed{At: after(5_000), SIPCode: 487,
				ReasonCode: calls.ReasonTemporarilyUnavailable, Reason: "487 Request Terminated", ConnectDurationMs: 5_000}}},
	} {
		got, err := c.when.Decide(calls.Calls.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
}

// A provider that numbers nothing is taken by how far a call can be; one that does, by its numbers.
func TestWhatIsToldInWhichOrder(t *testing.T) {
	word := func(status calls.Told, raw string, sequence *int) calls.Tell {
		return calls.Tell{Status: status, Raw: raw, Sequence: sequence, SessionID: "s-1", At: after(2_000)}
	}
	was := func(status calls.Told, raw string, sequence *int) calls.StatusTold {
		return calls.StatusTold{Status: status, Raw: raw, Sequence: sequence, At: after(1_000)}
	}
	for name, c := range map[string]struct {
		before calls.StatusTold
		now    calls.Tell
		want   string // news, late, or nothing
	}{
		"further on":                {was(calls.ToldInitiated, "queued", nil), word(calls.ToldRinging, "ringing", nil), "news"},
		"further on, answered":      {was(calls.ToldRinging, "ringing", nil), word(calls.ToldInProgress, "answered", nil), "news"},
		"further on, over":          {was(calls.ToldInProgress, "answered", nil), word(calls.ToldCompleted, "completed", nil), "news"},
		"as far, in another word":   {was(calls.ToldRinging, "ringing", nil), word(calls.ToldRinging, "early media", nil), "news"},
		"back":                      {was(calls.ToldInProgress, "answered", nil), word(calls.ToldRinging, "ringing", nil), "late"},
		"back to the beginning":     {was(calls.ToldRinging, "ringing", nil), word(calls.ToldInitiated, "queued", nil), "late"},
		"back from the end":         {was(calls.ToldCompleted, "completed", nil), word(calls.ToldInProgress, "answered", nil), "late"},
		"an end behind the end":     {was(calls.ToldCompleted, "completed", nil), word(calls.ToldFailed, "failed", nil), "late"},
		"one without a number":      {was(calls.ToldFailed, "busy", ptr(2)), word(calls.ToldFailed, "no-answer", nil), "late"},
		"an end of a higher number": {was(calls.ToldFailed, "busy", ptr(2)), word(calls.ToldCompleted, "completed", ptr(3)), "news"},
		"the same word":             {was(calls.ToldRinging, "ringing", nil), word(calls.ToldRinging, "ringing", nil), "nothing"},
		"a lower number, further":   {was(calls.ToldRinging, "ringing", ptr(5)), word(calls.ToldInProgress, "answered", ptr(4)), "late"},
		"a higher number, back":     {was(calls.ToldInProgress, "answered", ptr(4)), word(calls.ToldRinging, "ringing", ptr(5)), "news"},
		"the same number":           {was(calls.ToldRinging, "ringing", ptr(5)), word(calls.ToldRinging, "ringing", ptr(5)), "nothing"},
		"one number, two words":     {was(calls.ToldRinging, "ringing", ptr(5)), word(calls.ToldInProgress, "answered", ptr(5)), "news"},
		"numbers from now on":       {was(calls.ToldRinging, "ringing", nil), word(calls.ToldRinging, "ringing", ptr(1)), "news"},
		"no number any more":        {was(calls.ToldInProgress, "answered", ptr(9)), word(calls.ToldRinging, "ringing", nil), "late"},
	} {
		events, err := c.now.Decide(calls.Calls.State(came, c.before))
		require.NoError(t, err, name)
		got := "nothing"
		if len(events) > 0 {
			got = map[bool]string{true: "late", false: "news"}[events[0].(calls.StatusTold).Late]
		}
		require.Equal(t, c.want, got, name)
	}
}

func TestTheCodeOfACallThatFailed(t *testing.T) {
	for name, c := range map[string]struct {
		tell calls.Tell
		want int
	}{
		"the provider's":           {calls.Tell{Raw: "failed", SIPCode: 404}, 404},
		"the lowest that there is": {calls.Tell{Raw: "failed", SIPCode: 300}, 300},
		"below it":                 {calls.Tell{Raw: "failed", SIPCode: 299}, 503},
		"the highest":              {calls.Tell{Raw: "failed", SIPCode: 699}, 699},
		"above it":                 {calls.Tell{Raw: "failed", SIPCode: 700}, 503},
		"before the word":          {calls.Tell{Raw: "busy", SIPCode: 600}, 600},
		"by the word: busy":        {calls.Tell{Raw: "busy"}, 486},
		"nobody came":              {calls.Tell{Raw: "no-answer"}, 480},
		"called off":               {calls.Tell{Raw: "canceled"}, 487},
		"nothing is known":         {calls.Tell{Raw: "failed"}, 503},
	} {
		c.tell.Status, c.tell.At = calls.ToldFailed, after(3_000)
		events, err := c.tell.Decide(calls.Calls.State(came))
		require.NoError(t, err, name)
		require.Len(t, events, 2, name)
		require.Equal(t, c.tell.SIPCode, events[0].(calls.StatusTold).SIPCode, name)
		require.Equal(t, c.want, events[1].(calls.Failed).SIPCode, name)
	}
}

func TestWhatACallOfAProviderRefuses(t *testing.T) {
	placed := []event.Payload{requested(t)}
	line := calls.TakeLine{Try: "try-2", StreamID: "MZ2"}
	for name, c := range map[string]struct {
		given []event.Payload
		when  command
		code  fault.Code
	}{
		"the call was placed here":         {placed, arrive(), fault.Conflict},
		"no direction":                     {nil, arrive(func(c *calls.Arrive) { c.Direction = "" }), fault.Validation},
		"a word that there is not":         {[]event.Payload{came}, calls.Tell{Status: "paused"}, fault.Validation},
		"of a call that was placed here":   {placed, calls.Tell{Status: calls.ToldRinging}, fault.NotFound},
		"of no call":                       {nil, calls.Tell{Status: calls.ToldRinging}, fault.NotFound},
		"a line twice":                     {[]event.Payload{came, talks, taken}, line, fault.Unauthorized},
		"a line before the answer":         {[]event.Payload{came}, line, fault.Conflict},
		"the line of a call placed here":   {placed, line, fault.NotFound},
		"a line of a room, twice":          {[]event.Payload{arrived(room), talks, taken}, line, fault.Unauthorized},
		"a line of a room where nobody is": {[]event.Payload{arrived(room)}, line, fault.Conflict},
		"a line of nothing, by no try":     {nil, calls.TakeLine{}, fault.NotFound},
		"a line taken, by a try unnamed":   {[]event.Payload{came, talks, taken}, calls.TakeLine{}, fault.Unauthorized},
	} {
		got, err := c.when.Decide(calls.Calls.State(c.given...))
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
		require.Empty(t, got, name)
	}
}

// A call of a provider is told as any other: by who talks, and by what they called.
func TestWhoACallOfAProviderIsFrom(t *testing.T) {
	for person, target := range map[string]string{"+15550000001": "tel:+15550000001", "client:s_s-9": "client:s_s-9",
		"sip:ann@example.org": "sip:ann@example.org", "anonymous": "tel:anonymous"} {
		s := calls.Calls.State(arrived(func(c *calls.Arrive) { c.Person = person }))
		require.Equal(t, target, s.Request.Target)
		require.True(t, s.Came() && !s.Room() && !s.Joins())
		require.Equal(t, "acme", s.Request.TenantID)
	}
}

func TestACallThatComesInAtATrunk(t *testing.T) {
	rings := []event.Payload{arrived(atTrunk), calls.Ringing{At: after(100)}}
	picked := calls.Answered{SessionID: "s-1", At: after(2_100), RingDurationMs: 2_000, ConnectDurationMs: 2_100}
	talking := append(slices.Clip(rings), picked)
	lost := func(ms int) calls.ExpireLease { return calls.ExpireLease{At: after(ms)} }
	for name, c := range map[string]scenario{
		"it comes once":            {rings, arrive(atTrunk, func(c *calls.Arrive) { c.Try, c.Node = "try-2", "n2" }), nil},
		"it rings and is answered": {rings, calls.Answer{SessionID: "s-1", At: after(2_100)}, []event.Payload{picked}},
		"the caller gives up": {rings, calls.Fail{SIPCode: 487, At: after(2_100)}, []event.Payload{calls.Failed{At: after(2_100), SIPCode: 487,
			ReasonCode: calls.ReasonTemporarilyUnavailable, Reason: "487 Request Terminated", RingDurationMs: 2_000, ConnectDurationMs: 2_100}}},
		"its node gives signs of life": {talking, calls.RenewLease{At: after(10_000), LeaseUntil: after(40_000)},
			[]event.Payload{calls.LeaseRenewed{At: after(10_000), LeaseUntil: after(40_000)}}},
		"while they are there": {rings, lost(29_999), nil},
		"its node is lost while it rings": {rings, lost(30_000), []event.Payload{calls.Failed{At: after(30_000), SIPCode: 503,
			ReasonCode: calls.ReasonServiceUnavailable, Reason: "503 Service Unavailable", RingDurationMs: 29_900, ConnectDurationMs: 30_000}}},
		"its node is lost while they talk": {talking, lost(30_000), []event.Payload{calls.Completed{At: after(2_100), By: calls.ByGateway,
			Cause: "node lost", ReasonCode: calls.ReasonGatewayDisconnected, Reason: "200 OK", SessionID: "s-1"}}},
	} {
		t.Run(name, c.run)
	}
	s := calls.Calls.State(rings...)
	require.True(t, s.AtTrunk())
	require.False(t, calls.Calls.State(came).AtTrunk())
	require.Equal(t, []any{"try-1", "n1", "main", "tel:+15550000001", true, "cf-1"}, []any{s.Attempt.ID, s.Node, s.Request.Trunk,
		s.Request.Target, s.Request.Flow.Talks, s.Request.Flow.ID})
	_, err := calls.TakeLine{Try: "try-2", At: after(3_000)}.Decide(calls.Calls.State(talking...))
	require.True(t, fault.Is(err, fault.Unauthorized), "its sound is where it rings")
}

// Who does not want to be known has no target, and no scheme of one.
func TestACallOfNobodyKnown(t *testing.T) {
	s := calls.Calls.State(arrived(atTrunk, func(c *calls.Arrive) { c.Person = "" }))
	require.Empty(t, s.Request.Target)
}

// The same request makes the same call, and another makes another.
func TestAnOfferHasOneName(t *testing.T) {
	o := calls.Offer{TenantID: "acme", Trunk: "main", ProviderID: "x", Tag: "y"}
	again := o
	again.Branch, again.Person, again.Full = "z9hG4bK2", "tel:+15550000001", true
	require.Equal(t, o.Name(), again.Name())
	for _, other := range []calls.Offer{{"umbrella", "main", "x", "y", "", "", "", false}, {"acme", "other", "x", "y", "", "", "", false},
		{"acme", "main", "xy", "", "", "", "", false}, {"acme", "main", "x", "", "", "", "", false}} {
		require.NotEqual(t, o.Name(), other.Name())
	}
}
