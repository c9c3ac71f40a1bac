package connections_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/connections"
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
