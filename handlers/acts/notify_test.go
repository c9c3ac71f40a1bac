package acts_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/actstest"
)

const subject = "call-1"

func notices(w *actstest.World) (out []deliveries.Enqueued) {
	for _, e := range actstest.Events(w, deliveries.Deliveries.Category, deliveries.Deliveries.Stream(subject)) {
		out = append(out, e.(deliveries.Enqueued))
	}
	return out
}

func TestANoticeIsPutInOnceForItsSubject(t *testing.T) {
	w := actstest.New(t)
	notify := acts.Notify{Store: w.Store, SealURL: sealed}
	first := acts.Notice{Subject: subject, ID: "e-1", URL: "https://crm.example", HeadersSealed: "headers", Body: map[string]int{"n": 1},
		At: actstest.Noon}
	second := first
	second.ID, second.Body = "e-2", map[string]int{"n": 2}
	for _, n := range []acts.Notice{first, first, second} {
		require.NoError(t, notify.Do(t.Context(), actstest.Ada(""), n))
	}
	got := notices(w)
	require.Len(t, got, 2)
	require.Equal(t, "e-1", got[0].NoticeID)
	require.JSONEq(t, `{"n":1}`, string(got[0].Body))
	require.Equal(t, "headers", got[0].HeadersSealed)
	require.Equal(t, "shop", got[0].ProjectID, "whose secret signs it")
	require.Equal(t, actstest.Noon, got[0].QueuedAt)
	require.Equal(t, "e-2", got[1].NoticeID)
}

// What a request holds in the open, because it is from before URLs were sealed, is not
// copied in the open once more.
func TestTheSecretOfAURLIsSealed(t *testing.T) {
	for name, c := range map[string]struct {
		url, whole string
		bare, want string
	}{
		"nothing secret":   {"https://crm.example/a", "", "https://crm.example/a", ""},
		"sealed before":    {"https://crm.example/a", "whole", "https://crm.example/a", "whole"},
		"from before that": {"https://crm.example/a?t=1", "", "https://crm.example/a", "sealed https://crm.example/a?t=1"},
	} {
		w := actstest.New(t)
		require.NoError(t, acts.Notify{Store: w.Store, SealURL: sealed}.Do(t.Context(), actstest.Ada(""),
			acts.Notice{Subject: subject, ID: "e-1", URL: c.url, URLSealed: c.whole, Body: "x", At: actstest.Noon}), name)
		got := notices(w)
		require.Len(t, got, 1, name)
		require.Equal(t, c.bare, got[0].URL, name)
		require.Equal(t, c.want, got[0].URLSealed, name)
	}
	w := actstest.New(t)
	lost := errors.New("the vault is shut")
	notify := acts.Notify{Store: w.Store, SealURL: func(string, string) (string, string, error) { return "", "", lost }}
	notice := acts.Notice{Subject: subject, ID: "e-1", URL: "https://crm.example", Body: "x", At: actstest.Noon}
	require.ErrorIs(t, notify.Do(t.Context(), actstest.Ada(""), notice), lost)
	require.Empty(t, notices(w))
}
