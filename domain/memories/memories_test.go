package memories_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/memories"
)

var (
	now     = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	name    = memories.Name{TenantID: "acme", ProjectID: "shop", Scope: memories.OfContact, OwnerID: "ct-1", Store: "profile"}
	by      = memories.By{SessionID: "s-1", ToolCallID: "tc-1"}
	content = json.RawMessage(`{"seat":"aisle"}`)
	write   = memories.Write{Name: name, Content: content, By: by, At: now}
	remove  = memories.Delete{Name: name, By: by, At: now}
	written = memories.Written{By: by, Name: name, Content: content, Bytes: 16, Version: 1, At: now}
	deleted = memories.Deleted{By: by, Name: name, Version: 2, At: now}
	erased  = memories.Erased{Erasure: event.Erasure{ErasureID: "er-1", At: now}}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, memories.Memories.Category, "testdata/events", written, deleted, erased)
}

func version(n int) *int { return &n }

func writtenAs(n int) memories.Written {
	e := written
	e.Version = n
	return e
}

// unreadable is an event whose key is gone.
func unreadable() memories.Written {
	e := written
	e.Content = json.RawMessage("null")
	return e
}

func TestAStoreIsWrittenAndDeleted(t *testing.T) {
	expecting := func(n int) memories.Write { c := write; c.Expects = version(n); return c }
	full := write
	full.Stores = memories.MaxStores
	removing := func(n int) memories.Delete { c := remove; c.Expects = version(n); return c }
	for what, c := range map[string]struct {
		given  []event.Payload
		decide func(memories.State) ([]event.Payload, error)
		want   event.Payload // nil: nothing
		code   fault.Code
	}{
		"first":                            {nil, write.Decide, written, ""},
		"first, expected":                  {nil, expecting(0).Decide, written, ""},
		"again":                            {[]event.Payload{written}, write.Decide, writtenAs(2), ""},
		"again, as read":                   {[]event.Payload{written}, expecting(1).Decide, writtenAs(2), ""},
		"somebody else was first":          {[]event.Payload{written}, expecting(0).Decide, nil, fault.Conflict},
		"a version that is not yet":        {nil, expecting(1).Decide, nil, fault.Conflict},
		"after a deletion":                 {[]event.Payload{written, deleted}, write.Decide, writtenAs(3), ""},
		"read before a deletion":           {[]event.Payload{written, deleted}, expecting(1).Decide, nil, fault.Conflict},
		"one store too many":               {nil, full.Decide, nil, fault.LimitReached},
		"one too many after a deletion":    {[]event.Payload{written, deleted}, full.Decide, nil, fault.LimitReached},
		"another content of a full owner":  {[]event.Payload{written}, full.Decide, writtenAs(2), ""},
		"deleted":                          {[]event.Payload{written}, remove.Decide, deleted, ""},
		"deleted as read":                  {[]event.Payload{written}, removing(1).Decide, deleted, ""},
		"deleted, but another was written": {[]event.Payload{written, writtenAs(2)}, removing(1).Decide, nil, fault.Conflict},
		"deleted twice":                    {[]event.Payload{written, deleted}, remove.Decide, nil, ""},
		"never written":                    {nil, remove.Decide, nil, ""},
		"erased":                           {[]event.Payload{unreadable(), erased}, remove.Decide, nil, ""},
		"written after an erasure":         {[]event.Payload{unreadable(), erased}, write.Decide, writtenAs(2), ""},
	} {
		got, err := c.decide(memories.Memories.State(c.given...))
		if c.code != "" {
			require.True(t, fault.Is(err, c.code), "%s: %v", what, err)
			continue
		}
		require.NoError(t, err, what)
		if c.want == nil {
			require.Empty(t, got, what)
			continue
		}
		require.Equal(t, []event.Payload{c.want}, got, what)
	}
}

// Given what was written, deleted or erased, then this is in the store.
func TestWhatIsInAStore(t *testing.T) {
	for want, given := range map[string][]event.Payload{
		"0 ":                 nil,
		`1 {"seat":"aisle"}`: {written},
		`2 {"seat":"aisle"}`: {written, writtenAs(2)},
		"2 ":                 {written, deleted},
		"1 ":                 {unreadable(), erased},
	} {
		s := memories.Memories.State(given...)
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(fmt.Sprint(s.Version)+" "+string(s.Content)))
	}
}

func TestOnlyObjectsAreKept(t *testing.T) {
	nested := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	sized := func(bytes int) string { return `{"a":"` + strings.Repeat("x", bytes-len(`{"a":""}`)) + `"}` }
	for _, good := range []string{"{}", nested(memories.MaxDepth), sized(memories.MaxContent), " " + sized(memories.MaxContent) + " "} {
		got, err := memories.Clean(json.RawMessage(good))
		require.NoError(t, err)
		require.Equal(t, strings.TrimSpace(good), string(got))
	}
	got, err := memories.Clean(json.RawMessage("{ \"a\" : [ 1 ] }"))
	require.NoError(t, err)
	require.Equal(t, `{"a":[1]}`, string(got))
	for _, bad := range []string{"", "null", "[]", `"text"`, "1", nested(memories.MaxDepth + 1)} {
		_, err := memories.Clean(json.RawMessage(bad))
		require.Equal(t, []string{"payload.content"}, faulttest.Fields(t, err), bad)
	}
	_, err = memories.Clean(json.RawMessage(sized(memories.MaxContent + 1)))
	require.True(t, fault.Is(err, fault.TooLarge))
}

// Each part of a name makes another stream.
func TestEachStoreHasAStreamOfItsOwn(t *testing.T) {
	mac := func(purpose string, parts ...string) []byte {
		sum := sha256.Sum256([]byte(purpose + "|" + strings.Join(parts, "|")))
		return sum[:]
	}
	seen := map[string]bool{name.Stream(mac): true}
	for _, edit := range []func(*memories.Name){
		func(n *memories.Name) { n.TenantID = "b" }, func(n *memories.Name) { n.ProjectID = "b" },
		func(n *memories.Name) { n.Scope = memories.OfSession }, func(n *memories.Name) { n.OwnerID = "b" },
		func(n *memories.Name) { n.Store = "b" },
	} {
		other := name
		edit(&other)
		require.NotContains(t, seen, other.Stream(mac))
		seen[other.Stream(mac)] = true
	}
	require.Equal(t, name.Stream(mac), name.Stream(mac))
}

func TestScopes(t *testing.T) {
	for _, s := range memories.Scopes() {
		require.True(t, memories.ValidScope(s))
	}
	require.False(t, memories.ValidScope("moon"))
}

// Given what is in a store, when members are put into it, then others stay, and what somebody else
// wrote since it was read is not written over.
func TestMembersArePutIntoAStore(t *testing.T) {
	set := func(path, was, value string) memories.Member {
		return memories.Member{Path: path, Was: json.RawMessage(was), Value: json.RawMessage(value)}
	}
	for what, c := range map[string]struct {
		given   string // nothing: the store was never written
		set     []memories.Member
		want    string // nothing: it stays as it is
		refused []string
	}{
		"the first":             {"", []memories.Member{set("seat", "", `"aisle"`)}, `{"seat":"aisle"}`, nil},
		"beside others":         {`{"a":1}`, []memories.Member{set("b.c", "", "2")}, `{"a":1,"b":{"c":2}}`, nil},
		"over what was read":    {`{"a":1}`, []memories.Member{set("a", "1.0", "2")}, `{"a":2}`, nil},
		"over another":          {`{"a":3}`, []memories.Member{set("a", "1", "2"), set("b", "", "1")}, `{"a":3,"b":1}`, []string{"a"}},
		"what is there":         {`{"a":2}`, []memories.Member{set("a", "1", "2")}, "", nil},
		"nothing":               {`{"a":1,"b":2}`, []memories.Member{set("a", "1", "null")}, `{"b":2}`, nil},
		"within what is none":   {`{"a":1}`, []memories.Member{set("a.b", "", "2")}, `{"a":{"b":2}}`, nil},
		"what went meanwhile":   {`{"b":1}`, []memories.Member{set("a", "1", "2")}, "", []string{"a"}},
		"what somebody emptied": {"null", []memories.Member{set("a", "", "2")}, `{"a":2}`, nil},
	} {
		t.Run(what, func(t *testing.T) {
			var past []event.Payload
			if c.given != "" {
				e := written
				e.Content = json.RawMessage(c.given)
				past = append(past, e)
			}
			change := memories.Change{Name: name, Set: c.set, By: by, At: now}
			got, err := change.Decide(memories.Memories.State(past...))
			require.NoError(t, err)
			if c.want == "" {
				require.Empty(t, got)
			} else {
				require.JSONEq(t, c.want, string(got[0].(memories.Written).Content))
			}
			after := memories.Memories.State(append(past, got...)...)
			require.Equal(t, c.refused, change.Refused(after))
			again, err := change.Decide(after)
			require.NoError(t, err)
			require.Empty(t, again, "made again it changes nothing")
		})
	}
	one, next := "9007199254740992", "9007199254740993" // ids that are the same number with a point
	was := written
	was.Content = json.RawMessage(`{"id":` + one + `}`)
	got, err := memories.Change{Name: name, Set: []memories.Member{set("id", one, next)}, At: now}.Decide(memories.Memories.State(was))
	require.NoError(t, err)
	require.Equal(t, `{"id":`+next+`}`, string(got[0].(memories.Written).Content))
	was.Content = json.RawMessage(`{"id":` + next + `}`)
	got, err = memories.Change{Name: name, Set: []memories.Member{set("id", one, "1")}, At: now}.Decide(memories.Memories.State(was))
	require.NoError(t, err)
	require.Empty(t, got, "somebody else has written another one")
	_, err = memories.Change{Name: name, Set: []memories.Member{set("a", "", `"`+strings.Repeat("x", memories.MaxContent)+`"`)}, At: now}.
		Decide(memories.State{})
	require.True(t, fault.Is(err, fault.TooLarge))
	_, err = memories.Change{Name: name, Set: []memories.Member{set("a", "", "1")}, Stores: memories.MaxStores, At: now}.
		Decide(memories.State{})
	require.True(t, fault.Is(err, fault.LimitReached))
}

// What is in a store expires TTL after it was written last; its version goes on.
func TestWhatIsInAStoreExpires(t *testing.T) {
	lasting := write
	lasting.TTL = time.Hour
	got, err := lasting.Decide(memories.State{})
	require.NoError(t, err)
	s := memories.Memories.State(got...)
	require.JSONEq(t, string(content), string(s.Held(now.Add(time.Hour-time.Second))))
	require.Empty(t, s.Held(now.Add(time.Hour)))
	late := memories.Change{Name: name, Set: []memories.Member{{Path: "b", Value: json.RawMessage("1")}}, At: now.Add(2 * time.Hour)}
	got, err = late.Decide(s)
	require.NoError(t, err)
	require.JSONEq(t, `{"b":1}`, string(got[0].(memories.Written).Content))
	require.Equal(t, 2, got[0].(memories.Written).Version)
	require.Zero(t, got[0].(memories.Written).ExpiresAt)
}
