package sessions_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given stores that a session reads and writes, then it knows of each what was read, with what was set since, and
// what of that is to be kept.
func TestWhatASessionKnowsOfItsStores(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	shop := sessions.StoreOf{Scope: memories.OfProject, Store: "profile"}
	told := func(stores ...sessions.StoreTold) event.Payload {
		return sessions.MemoryTold{InTurn: turn1, CallID: "c5", Stores: stores}
	}
	puts := func(agent string, of sessions.StoreOf, path, value string) event.Payload {
		return sessions.MemorySet{InTurn: turn1, Agent: agent, StoreOf: of, Values: []sessions.MemoryValue{{Path: path, Value: raw(value)}}}
	}
	aisle := raw(`{"seat":"aisle"}`)
	read := told(sessions.StoreTold{StoreOf: shop, Version: 7}, sessions.StoreTold{StoreOf: profile, Version: 2, Content: aisle})
	keeps := sessions.MemoryAsked{InTurn: turn1, CallID: "c5", Writes: []sessions.StoreOf{profile}, Claimed: claimed.Claimed}
	empty := sessions.Remembered{StoreOf: shop, Version: 7}
	setOnce := sessions.Remembered{StoreOf: profile, Version: 2, Content: raw(`{"seat":"left"}`), Base: aisle,
		Set: []string{"seat"}, Agent: "front"}
	twice, asked := setOnce, setOnce
	twice.Content, twice.Set, twice.Agent = raw(`{"meal":"none","seat":"mid"}`), []string{"seat", "meal"}, "back"
	asked.Content, asked.Set, asked.Agent, asked.Asked = twice.Content, twice.Set, "back", true
	asked.Later = []sessions.MemoryValue{{Path: "seat", Value: raw(`"mid"`)}, {Path: "meal", Value: raw(`"none"`)}}
	stays := twice
	stays.Version, stays.Base = 3, raw(`{"seat":"left"}`)
	left, mid := puts("front", profile, "seat", `"left"`), puts("back", profile, "seat", `"mid"`)
	meal := puts("back", profile, "meal", `"none"`)
	kept := told(sessions.StoreTold{StoreOf: profile, Version: 3, Content: raw(`{"seat":"left"}`)})
	seat := memories.Member{Path: "seat", Was: raw(`"aisle"`), Value: raw(`"left"`)}
	fresh := sessions.Remembered{StoreOf: profile, Content: raw(`{"seat":"left"}`), Base: raw(`{}`), Set: []string{"seat"}, Agent: "front"}
	for name, c := range map[string]struct {
		past    []event.Payload
		knows   []sessions.Remembered
		members []memories.Member // of the last one
	}{
		"it was read": {[]event.Payload{read}, []sessions.Remembered{empty, {StoreOf: profile, Version: 2, Content: aisle}}, nil},
		"one is null": {[]event.Payload{told(sessions.StoreTold{StoreOf: profile, Version: 2, Content: raw(`null`), Failed: "NO_CONTACT"})},
			[]sessions.Remembered{{StoreOf: profile, Version: 2, Failed: "NO_CONTACT"}}, nil},
		"it was set": {[]event.Payload{read, left}, []sessions.Remembered{empty, setOnce}, []memories.Member{seat}},
		"it was set, and nothing read": {[]event.Payload{left}, []sessions.Remembered{fresh},
			[]memories.Member{{Path: "seat", Value: raw(`"left"`)}}},
		"it was set again": {[]event.Payload{read, left, mid, meal}, []sessions.Remembered{empty, twice}, []memories.Member{
			{Path: "seat", Was: raw(`"aisle"`), Value: raw(`"mid"`)}, {Path: "meal", Value: raw(`"none"`)}}},
		"it is kept": {[]event.Payload{read, left, keeps, mid, meal}, []sessions.Remembered{empty, asked}, nil},
		"it was kept": {[]event.Payload{read, left, keeps, kept},
			[]sessions.Remembered{empty, {StoreOf: profile, Version: 3, Content: raw(`{"seat":"left"}`)}}, nil},
		"it was kept, and set since": {[]event.Payload{read, left, keeps, mid, meal, kept}, []sessions.Remembered{empty, stays}, nil},
		"it could not be kept": {[]event.Payload{read, left, keeps, told(sessions.StoreTold{StoreOf: profile, Version: 2, Failed: "FULL"})},
			[]sessions.Remembered{empty, {StoreOf: profile, Version: 2, Content: aisle, Failed: "FULL"}}, nil},
		"the first could not be kept": {[]event.Payload{left, keeps, told(sessions.StoreTold{StoreOf: profile, Failed: "FULL"})},
			[]sessions.Remembered{{StoreOf: profile, Failed: "FULL"}}, nil},
		"what is there is known": {[]event.Payload{read, left, keeps, told(sessions.StoreTold{StoreOf: profile, Version: 3, Known: true})},
			[]sessions.Remembered{empty, {StoreOf: profile, Version: 3, Content: raw(`{"seat":"left"}`)}}, nil},
		"nothing is left": {[]event.Payload{read, puts("front", profile, "seat", `null`)}, []sessions.Remembered{empty, {StoreOf: profile,
			Version: 2, Base: aisle, Set: []string{"seat"}, Agent: "front"}},
			[]memories.Member{{Path: "seat", Was: raw(`"aisle"`)}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessions.Sessions.State(append([]event.Payload{chat, heard}, c.past...)...)
			require.Equal(t, c.knows, s.Talk.Memory)
			last := c.knows[len(c.knows)-1]
			require.Equal(t, &last, s.Talk.Memorized(profile))
			var unkept []sessions.StoreOf
			if len(last.Set) > 0 {
				unkept = []sessions.StoreOf{profile}
			}
			require.Equal(t, unkept, s.Talk.Unkept())
			if c.members != nil {
				require.Equal(t, c.members, last.Members())
			}
		})
	}
}

// Given a turn that waits for its stores, then whoever takes that over does it, until what is in them was told.
func TestATurnWaitsForItsStores(t *testing.T) {
	takes := over
	takes.CallID = recalled.CallID
	byOther := recalled
	byOther.Claimed = over.Claimed
	otherTold := memorized
	otherTold.CallID = "c1"
	for name, c := range map[string]struct {
		past   []event.Payload
		waits  *sessions.MemoryAsked
		claims []sessions.Claimed
	}{
		"somebody does it":         {nil, &recalled, []sessions.Claimed{recalled.Claimed}},
		"another call was taken":   {[]event.Payload{over}, &recalled, []sessions.Claimed{recalled.Claimed}},
		"another does it":          {[]event.Payload{takes}, &byOther, []sessions.Claimed{over.Claimed}},
		"a tool left something":    {[]event.Payload{otherTold}, &recalled, []sessions.Claimed{recalled.Claimed}},
		"it was told":              {[]event.Payload{memorized}, nil, nil},
		"it was told, and claimed": {[]event.Payload{memorized, takes}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessions.Sessions.State(append([]event.Payload{chat, heard, recalled}, c.past...)...)
			require.Equal(t, c.waits, s.Talk.Running.Memory)
			require.Equal(t, c.claims, s.Talk.Running.Claims())
			require.Equal(t, 1, s.Talk.Calls)
		})
	}
	require.Equal(t, claimed.Claimed, recalled.Claimed, "folding does not reach into the event")
}
