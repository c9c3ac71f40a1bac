package llm_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/modelproviders"
	"github.com/parley-platform/parley/domain/projectsettings"
)

func ownProvider(url string, version int64, models ...modelproviders.Model) llm.OwnProvider {
	return llm.OwnProvider{Tenant: "acme", Name: "own", Version: version, Kind: modelproviders.OpenAI, BaseURL: url,
		Key: func() (string, error) { return "sk-own", nil }, Models: models}
}

func chosenBy(t *testing.T, of *llm.Models, r completions.Request) string {
	t.Helper()
	r.Messages = hello.Messages
	got, err := of.Complete(t.Context(), r, func(completions.Piece) error { return nil })
	require.NoError(t, err)
	return got.Chosen.ModelID + " by " + got.Chosen.Provider + " as " + got.Chosen.Source
}

// Given a server with two models, and a project with its own, then these go before, and the
// project's settings before both.
func TestWhichModelOfAProjectAnswers(t *testing.T) {
	url := serving(t, func(w http.ResponseWriter, _ *http.Request) { streamed(w, openAIStream) })
	server := llm.NewModels([]llm.Model{{ID: "a", Provider: "local", By: llm.Local{}}, {ID: "b", Provider: "local", By: llm.Local{}}},
		map[string][]string{completions.Fast: {"a", "b"}, completions.Balanced: {"a"}})
	kept := llm.NewOwn(nil)
	own := append(kept.Of(ownProvider(url, 1, modelproviders.Model{ID: "a"}, modelproviders.Model{ID: "own", Tier: completions.Balanced})),
		kept.Of(llm.OwnProvider{Tenant: "acme", Name: "of all", Kind: modelproviders.OpenAI,
			Models: []modelproviders.Model{{ID: "own", Tier: completions.Powerful}}})...)
	by := func(chosen projectsettings.Models) *llm.Models { return server.For(own, chosen) }
	plain := by(projectsettings.Models{})
	require.Equal(t, "own by own as default", chosenBy(t, plain, completions.Request{}))
	require.Equal(t, "a by own as request", chosenBy(t, plain, completions.Request{ModelID: "a"}), "the server's of that id is not seen")
	require.Equal(t, "b by local as tier", chosenBy(t, plain, completions.Request{Tier: completions.Fast}), "nor in its tier")
	require.True(t, fault.Is(plain.Check(completions.Request{Tier: completions.Powerful}), fault.Unavailable),
		"the first of an id is the project's, which is of another tier")
	require.Equal(t, "b by local as default", chosenBy(t, by(projectsettings.Models{Default: "b"}), completions.Request{}))
	require.Equal(t, "b by local as default", chosenBy(t, by(projectsettings.Models{DefaultTier: completions.Fast}), completions.Request{}))
	require.Equal(t, "own by own as tier", chosenBy(t, by(projectsettings.Models{Tiers: map[string][]string{
		completions.Powerful: {"none", "own"}}}), completions.Request{Tier: completions.Powerful}))
	require.Len(t, plain.Offered(), 3)
	require.Same(t, server, server.For(nil, projectsettings.Models{}))
}

// Given a model that failed too often, then it rests, whoever asks; another definition of its
// provider begins anew.
func TestAnOwnModelThatFailsRests(t *testing.T) {
	var asked atomic.Int32
	url := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	})
	kept, model := llm.NewOwn(nil), modelproviders.Model{ID: "m", Tier: completions.Balanced}
	ask := func(version int64) {
		_, err := (&llm.Models{}).For(kept.Of(ownProvider(url, version, model)), projectsettings.Models{}).Complete(t.Context(), hello,
			func(completions.Piece) error { return nil })
		require.True(t, fault.Is(err, fault.Unavailable), err)
	}
	for range 10 {
		ask(1)
	}
	require.EqualValues(t, 5, asked.Load())
	ask(2)
	require.EqualValues(t, 6, asked.Load())
}

// Given an address in our own network, or a key that does not open, then nobody is asked.
func TestAnOwnProviderIsBehindTheGuard(t *testing.T) {
	url := serving(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	p := ownProvider(url, 1, modelproviders.Model{ID: "m"})
	for _, c := range []struct {
		kind  modelproviders.Kind
		guard webhook.Guard
		key   error
	}{{modelproviders.OpenAI, webhook.Guard{}, nil}, {modelproviders.Anthropic, webhook.Guard{}, nil},
		{modelproviders.OpenAI, webhook.Guard{AllowLoopback: true}, errors.New("it does not open")}} {
		p.Kind, p.Key = c.kind, func() (string, error) { return "sk", c.key }
		own := llm.NewOwn(c.guard.Transport()).Of(p)
		_, err := own[0].By.Stream(t.Context(), "m", hello, func(completions.Piece) error { return nil })
		if c.key != nil {
			require.ErrorIs(t, err, c.key)
			continue
		}
		require.ErrorIs(t, err, webhook.ErrRefusedAddress)
	}
}
