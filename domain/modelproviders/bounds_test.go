package modelproviders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/modelproviders"
)

// Given as much as may be, then it is taken, and no more.
func TestHowMuchAProviderMayHave(t *testing.T) {
	some := func(n int) (out []modelproviders.Model) {
		for i := range n {
			out = append(out, modelproviders.Model{ID: fmt.Sprint("m", i)})
		}
		return out
	}
	one := func(m modelproviders.Model) func(*modelproviders.Define) {
		m.ID = "m"
		return func(c *modelproviders.Define) { c.Models = []modelproviders.Model{m} }
	}
	named := func(text string) func(*modelproviders.Define) { return one(modelproviders.Model{Named: text}) }
	priced := func(version string) func(*modelproviders.Define) {
		return one(modelproviders.Model{Prices: &modelproviders.Prices{Version: version}})
	}
	for _, c := range []struct {
		edit  func(*modelproviders.Define)
		field string
	}{
		{func(c *modelproviders.Define) { c.Models = some(50) }, ""},
		{func(c *modelproviders.Define) { c.Models = some(51) }, "spec.models"},
		{func(c *modelproviders.Define) { c.Kind = "anthropic" }, ""},
		{func(c *modelproviders.Define) { c.APIKey = "" }, "spec.apiKey"},
		{named(strings.Repeat("x", 256)), ""}, {named("a model"), ""},
		{named(strings.Repeat("x", 257)), "spec.models[0].model"},
		{priced(strings.Repeat("x", 64)), ""},
		{priced(strings.Repeat("x", 65)), "spec.models[0].prices.version"},
	} {
		_, err := define(c.edit).Decide(modelproviders.State{})
		if c.field == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, []string{c.field}, faulttest.Fields(t, err))
	}
}

// Given a provider that stays the same but for one member, then that is a change, and what is
// kept of it is what the event says.
func TestEachMemberOfAProviderIsAChange(t *testing.T) {
	s := modelproviders.Providers.State(own)
	require.Equal(t, modelproviders.Provider{Name: "own", ProjectID: "shop", Kind: modelproviders.OpenAI,
		BaseURL: "https://llm.example.com/v1", APIKey: "sealed-1", APIKeyFingerprint: "f1", Models: models}, s.Providers["own"])
	for _, edit := range []func(*modelproviders.Define){
		func(c *modelproviders.Define) { c.ProjectID = "" },
		func(c *modelproviders.Define) { c.Kind = "anthropic" },
		func(c *modelproviders.Define) { c.BaseURL = "" },
		func(c *modelproviders.Define) { c.Models = models[:1] },
	} {
		got, err := define(edit).Decide(s)
		require.NoError(t, err)
		require.Len(t, got, 1)
		require.Equal(t, "sealed-1", got[0].(modelproviders.Defined).APIKey, "the key is as it was sealed first")
	}
}
