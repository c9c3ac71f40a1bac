package modelproviders_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/modelproviders"
)

var (
	models = []modelproviders.Model{{ID: "small", Named: "llama-8b", Tier: "fast",
		Prices: &modelproviders.Prices{Version: "2026-11", Input: 150_000, Output: 600_000}}, {ID: "large"}}
	own = modelproviders.Defined{TenantID: "acme", Name: "own", ProjectID: "shop", Kind: modelproviders.OpenAI,
		BaseURL: "https://llm.example.com/v1", APIKey: "sealed-1", APIKeyFingerprint: "f1", Models: models}
	removed = modelproviders.Removed{TenantID: "acme", Name: "own"}
)

func define(edit func(*modelproviders.Define)) modelproviders.Define {
	c := modelproviders.Define{TenantID: "acme", Name: "own", ProjectID: "shop", Kind: "openai", BaseURL: "https://llm.example.com/v1",
		APIKey: "sealed-1", APIKeyFingerprint: "f1", Models: models}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestAProviderIsDefinedRotatedAndRemoved(t *testing.T) {
	rotated := own
	rotated.APIKey, rotated.APIKeyFingerprint = "sealed-2", "f2"
	remove := modelproviders.Remove{TenantID: "acme", Name: "own"}
	for name, c := range map[string]struct {
		given []event.Payload
		when  func(modelproviders.State) ([]event.Payload, error)
		then  []event.Payload
	}{
		"defined":            {nil, define(nil).Decide, []event.Payload{own}},
		"once more":          {[]event.Payload{own}, define(nil).Decide, nil},
		"the key is as ever": {[]event.Payload{own}, define(func(c *modelproviders.Define) { c.APIKey = "sealed-again" }).Decide, nil},
		"another key": {[]event.Payload{own}, define(func(c *modelproviders.Define) {
			c.APIKey, c.APIKeyFingerprint = "sealed-2", "f2"
		}).Decide, []event.Payload{rotated}},
		"removed":       {[]event.Payload{own}, remove.Decide, []event.Payload{removed}},
		"removed twice": {[]event.Payload{own, removed}, remove.Decide, nil},
		"back again":    {[]event.Payload{own, removed}, define(nil).Decide, []event.Payload{own}},
	} {
		got, err := c.when(modelproviders.Providers.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
}

func TestWrongFieldsOfAProvider(t *testing.T) {
	model := func(edit func(*modelproviders.Model)) func(*modelproviders.Define) {
		return func(c *modelproviders.Define) {
			m := models[0]
			edit(&m)
			c.Models = []modelproviders.Model{m}
		}
	}
	for field, edit := range map[string]func(*modelproviders.Define){
		"metadata.name":        func(c *modelproviders.Define) { c.Name = "a b" },
		"spec.kind":            func(c *modelproviders.Define) { c.Kind = "local" },
		"spec.apiKey":          func(c *modelproviders.Define) { c.APIKeyFingerprint = "" },
		"spec.models":          func(c *modelproviders.Define) { c.Models = nil },
		"spec.models[0].id":    model(func(m *modelproviders.Model) { m.ID = "" }),
		"spec.models[0].model": model(func(m *modelproviders.Model) { m.Named = "a\nb" }),
		"spec.models[0].tier":  model(func(m *modelproviders.Model) { m.Tier = "huge" }),
		"spec.models[0].prices.version": model(func(m *modelproviders.Model) {
			m.Prices = &modelproviders.Prices{Input: 1}
		}),
		"spec.models[1].id": func(c *modelproviders.Define) { c.Models = []modelproviders.Model{{ID: "a"}, {ID: "a"}} },
	} {
		_, err := define(edit).Decide(modelproviders.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
}

// Given models of a project, then another provider may have models of these ids elsewhere only.
func TestAModelHasOneProvider(t *testing.T) {
	s := modelproviders.Providers.State(own)
	_, err := define(func(c *modelproviders.Define) { c.Name = "other" }).Decide(s)
	require.Equal(t, []string{"spec.models[0].id", "spec.models[1].id"}, faulttest.Fields(t, err))
	for _, project := range []string{"", "desk"} {
		_, err = define(func(c *modelproviders.Define) { c.Name, c.ProjectID = "other", project }).Decide(s)
		require.NoError(t, err)
	}
}

func TestATenantHasSoManyProviders(t *testing.T) {
	s := modelproviders.State{Providers: map[string]modelproviders.Provider{}}
	for i := range 100 {
		s.Providers[fmt.Sprint(i)] = modelproviders.Provider{}
	}
	_, err := define(nil).Decide(s)
	require.True(t, fault.Is(err, fault.LimitReached))
	_, err = define(func(c *modelproviders.Define) { c.Name = "7" }).Decide(s)
	require.NoError(t, err, "it is there already")
}

func TestWhatAModelCosts(t *testing.T) {
	require.Equal(t, completions.Pricing{Version: "2026-11", In: 150_000, Out: 600_000}, models[0].Pricing())
	require.Zero(t, models[1].Pricing(), "nobody knows")
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, modelproviders.Providers.Category, "testdata/events", own, removed)
}
