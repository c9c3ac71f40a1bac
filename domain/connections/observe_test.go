package connections_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/event"
)

var troubled = connections.Observed{ConnectionID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "slack", About: connections.Webhook,
	Trouble: &connections.Trouble{Code: "HTTP_401", Reason: "not accepted", At: now}, At: now}

// known is a connection that one observes.
type known struct {
	*testing.T
	connections.State
}

func (k *known) sees(c connections.Observe) bool {
	k.Helper()
	out, err := c.Decide(k.State)
	require.NoError(k, err)
	for _, e := range out {
		connections.Connections.Fold(&k.State, e)
	}
	return len(out) > 0
}

func (k *known) shows(about connections.About, reason string) {
	k.Helper()
	got, trouble := k.LastError()
	require.Equal(k, about, got)
	if reason == "" {
		require.Nil(k, trouble)
		return
	}
	require.Equal(k, reason, trouble.Reason)
}

func trouble(about connections.About, reason string, at time.Time) connections.Observe {
	return connections.Observe{About: about, Trouble: &connections.Trouble{Code: "c", Reason: reason}, At: at}
}

// Given what a provider does not do, then the newest is shown, once each, until it does it, or until the
// connection changes.
func TestWhatIsWrongWithAConnectionIsShown(t *testing.T) {
	k := &known{t, connections.Connections.State(created)}
	k.shows("", "")
	require.False(t, k.sees(connections.Observe{About: connections.Sending, At: now}), "nothing was wrong")
	require.True(t, k.sees(trouble(connections.Webhook, "away", now)))
	require.False(t, k.sees(trouble(connections.Webhook, "away", now.Add(time.Hour))), "still")
	k.shows(connections.Webhook, "away")
	require.True(t, k.sees(trouble(connections.Sending, "denied", now.Add(time.Minute))))
	k.shows(connections.Sending, "denied")
	require.True(t, k.sees(connections.Observe{About: connections.Sending, At: now}))
	k.shows(connections.Webhook, "away")
	require.True(t, k.sees(connections.Observe{About: connections.Webhook, URL: "https://x", At: now}))
	k.shows("", "")
	require.Equal(t, "https://x", k.WebhookURL)
	require.False(t, k.sees(connections.Observe{About: connections.Webhook, URL: "https://x", At: now}), "it was told")
	require.True(t, k.sees(trouble(connections.Sending, "denied", now)))
	connections.Connections.Fold(&k.State, changed)
	k.shows("", "")
	require.False(t, k.Settled, "it is to be told anew")
	require.Equal(t, "https://x", k.WebhookURL)
	late := connections.Observe{About: connections.Webhook, URL: "https://y", Of: now.Add(-time.Second), At: now}
	require.False(t, k.sees(late), "of what held before the change")
}

// Given a connection that its provider was told of, when it is deleted, then it is known whom to tell, and
// only until that is done.
func TestWhoSentHereIsToldThatItIsGone(t *testing.T) {
	k := &known{t, connections.Connections.State(created)}
	out, err := connections.Delete{At: now}.Decide(k.State)
	require.NoError(t, err)
	connections.Connections.Fold(&k.State, out[0])
	require.Nil(t, k.Gone, "nobody was told that it is there")

	k.State = connections.Connections.State(created)
	require.True(t, k.sees(connections.Observe{About: connections.Webhook, URL: "https://x", At: now}))
	out, err = connections.Delete{At: now}.Decide(k.State)
	require.NoError(t, err)
	connections.Connections.Fold(&k.State, out[0])
	require.Equal(t, &connections.Gone{ID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "slack", External: "A1:T1",
		Credentials: sealed}, k.Gone)
	require.False(t, k.sees(trouble(connections.Sending, "denied", now)))
	require.True(t, k.sees(connections.Observe{About: connections.Webhook, At: now}))
	require.Nil(t, k.Gone)
	require.False(t, k.sees(connections.Observe{About: connections.Webhook, At: now}), "once")
}

// Given the kinds, then those that we tell where to send have a word of ours to show.
func TestKindsThatAreRegistered(t *testing.T) {
	for _, slug := range connections.Slugs() {
		kind, _ := connections.KindOf(slug)
		require.Equal(t, slug == "telegram", kind.Registered, slug)
		if kind.Registered {
			require.Equal(t, []string{"secretToken"}, kind.Ours())
		}
	}
}

// Given how it stands with a connection, then what is new of it is written, whole, and nothing else is.
func TestWhatIsWrittenOfAConnection(t *testing.T) {
	registered := connections.Observed{ConnectionID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "slack", About: connections.Webhook,
		URL: "https://x", At: now}
	moved, told, failing, gone := registered, registered, troubled, registered
	moved.URL, gone.URL, failing.URL = "https://y", "", "https://x"
	trouble := func(code, reason string) connections.Observe {
		return connections.Observe{About: connections.Webhook, Trouble: &connections.Trouble{Code: code, Reason: reason}, At: now}
	}
	with := func(code, reason string) connections.Observed {
		e := failing
		e.Trouble = &connections.Trouble{Code: code, Reason: reason, At: now}
		return e
	}
	webhook := func(url string) connections.Observe {
		return connections.Observe{About: connections.Webhook, URL: url, At: now}
	}
	still := deleted
	still.Registered = true
	left := list(created, registered, still)
	for label, c := range map[string]struct {
		given []event.Payload
		sees  connections.Observe
		want  []event.Payload
	}{
		"registered":           {list(created), webhook("https://x"), list(told)},
		"the same":             {list(created, registered), webhook("https://x"), nil},
		"elsewhere":            {list(created, registered), webhook("https://y"), list(moved)},
		"again, as it changed": {list(created, registered, changed), webhook("https://x"), list(told)},
		"as was asked for": {list(created), connections.Observe{About: connections.Webhook, URL: "https://x", Of: now, At: now},
			list(told)},
		"a trouble":        {list(created, registered), trouble("HTTP_401", "not accepted"), list(failing)},
		"the same trouble": {list(created, registered, failing), trouble("HTTP_401", "not accepted"), nil},
		"one of another code": {list(created, registered, failing), trouble("HTTP_403", "not accepted"),
			list(with("HTTP_403", "not accepted"))},
		"one of another reason":   {list(created, registered, failing), trouble("HTTP_401", "away"), list(with("HTTP_401", "away"))},
		"taken away":              {left, webhook(""), list(gone)},
		"not taken away":          {left, trouble("HTTP_401", "away"), nil},
		"still there":             {left, webhook("https://x"), nil},
		"another matter":          {left, connections.Observe{About: connections.Sending, At: now}, nil},
		"of what was never there": {nil, webhook("https://x"), nil},
	} {
		got, err := c.sees.Decide(connections.Connections.State(c.given...))
		require.NoError(t, err, label)
		require.Equal(t, c.want, got, label)
	}
}

// Who has a state has it as it was, whatever is observed later; what is not about the webhook leaves that alone.
func TestWhatIsObservedChangesNoOtherState(t *testing.T) {
	k := &known{t, connections.Connections.State(created)}
	require.True(t, k.sees(connections.Observe{About: connections.Webhook, URL: "https://x", At: now}))
	require.True(t, k.sees(trouble(connections.Sending, "denied", now)))
	before := k.State
	require.True(t, k.sees(trouble(connections.Webhook, "away", now.Add(-time.Minute))))
	require.True(t, k.sees(connections.Observe{About: connections.Sending, At: now}))
	require.Equal(t, []any{"https://x", true}, []any{k.WebhookURL, k.Settled})
	require.Len(t, before.Troubles, 1)
	require.Equal(t, "denied", before.Troubles[connections.Sending].Reason)
}
