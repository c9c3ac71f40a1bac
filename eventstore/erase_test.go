package eventstore_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// visits is about one guest, and about companions who have keys of their own.
var visits = event.NewAggregate[visit]("visits", "visit", 1)

type visit struct {
	Guest      string
	Companions []string
	Greetings  []string
}

type arrived struct {
	Guest string `json:"guest" personal:"guest"`
}

type joined struct {
	Companion string `json:"companion" personal:"companion" key:"own"`
}

// greeted is what a command makes of the state: it carries the name on.
type greeted struct {
	Text string `json:"text" personal:"guest"`
}

type guestErased struct{ event.Erasure }

func (e arrived) Apply(s *visit)   { s.Guest = e.Guest }
func (e joined) Apply(s *visit)    { s.Companions = append(s.Companions, e.Companion) }
func (e greeted) Apply(s *visit)   { s.Greetings = append(s.Greetings, e.Text) }
func (guestErased) Apply(s *visit) {}

var (
	_ = event.Register[arrived](visits, "arrived", 1)
	_ = event.Register[joined](visits, "joined", 1)
	_ = event.Register[greeted](visits, "greeted", 1)
	_ = event.Register[guestErased](visits, event.ErasedName, 1)
)

func greet(s visit) ([]event.Payload, error) {
	return []event.Payload{greeted{"Hello " + s.Guest}}, nil
}

// drawer holds keys of all nodes.
type drawer struct {
	mu   sync.Mutex
	keys map[sealed.ID]*sealed.Key // nil: erased
}

func (d *drawer) Take(context.Context) (sealed.Key, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := sealed.ID{byte(len(d.keys) + 1)}
	key := sealed.NewKey(id, [sealed.SecretSize]byte{byte(len(d.keys) + 1)})
	d.keys[id] = &key
	return key, nil
}

func (d *drawer) Find(_ context.Context, ids []sealed.ID) (map[sealed.ID]*sealed.Key, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := map[sealed.ID]*sealed.Key{}
	for _, id := range ids {
		found[id] = d.keys[id]
	}
	return found, nil
}

func (d *drawer) erase(ids []sealed.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range ids {
		d.keys[id] = nil
	}
}

// house is two nodes on one log with one drawer of keys.
type house struct {
	t     *testing.T
	log   *memory.Log
	keys  *drawer
	nodes [2]*eventstore.Store
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, log: memory.New(), keys: &drawer{keys: map[sealed.ID]*sealed.Key{}}}
	for i := range h.nodes {
		h.nodes[i] = h.log.Open(eventstore.Config{Node: fmt.Sprint(i), Keys: h.keys})
		t.Cleanup(h.nodes[i].Close)
	}
	return h
}

const stay = "visit-1"

var byHost = eventstore.Command{Tenant: "acme", Actor: "user:host"}

func (h *house) put(node int, events ...event.Payload) {
	require.NoError(h.t, eventstore.Do(h.t.Context(), h.nodes[node], visits, stay, byHost,
		func(visit) ([]event.Payload, error) { return events, nil }))
}

func (h *house) greet(node int) {
	require.NoError(h.t, eventstore.Do(h.t.Context(), h.nodes[node], visits, stay, byHost, greet))
}

func (h *house) erase(node int, keys ...string) []sealed.ID {
	ids, err := eventstore.Erase(h.t.Context(), h.nodes[node], visits, stay, byHost, guestErased{event.Erasure{ErasureID: "er-1", Keys: keys}})
	require.NoError(h.t, err)
	return ids
}

// state is what both nodes fold, which must be the same.
func (h *house) state() visit {
	read := func(node int) visit {
		loaded, err := eventstore.Read(h.t.Context(), h.nodes[node], visits, stay)
		require.NoError(h.t, err)
		return loaded.State
	}
	one := read(0)
	require.Equal(h.t, one, read(1))
	return one
}

func (h *house) stored() string {
	var all string
	for _, r := range h.log.Accepted() {
		all += string(r.Stored()) + "\n"
	}
	return all
}

// Given a stream that two nodes know, when its customer is erased, then neither of them
// decides on what it knew, from that moment on, and what comes has another key.
func TestNobodyDecidesOnWhatHeKnewOfAnErasedCustomer(t *testing.T) {
	h := newHouse(t)
	h.put(0, arrived{"Ann"})
	h.greet(1)
	h.greet(0) // both have the stream in their caches
	require.Equal(t, "Ann", h.state().Guest)

	ids := h.erase(1)
	require.Len(t, ids, 1, "one key for all that was said of Ann")
	require.Equal(t, visit{Guest: sealed.Erased, Greetings: []string{sealed.Erased, sealed.Erased}}, h.state(), "before the key is gone")

	h.greet(0)
	h.greet(1)
	h.put(1, arrived{"Bo"})
	h.greet(0)
	h.keys.erase(ids)
	require.Equal(t, visit{Guest: "Bo", Greetings: []string{sealed.Erased, sealed.Erased, "Hello " + sealed.Erased, "Hello " + sealed.Erased,
		"Hello Bo"}}, h.state())
	require.NotContains(t, h.stored(), `Ann"`, "at the end of a text: what is sealed is letters too, and may spell a name")
}

// Given a command that was decided before the erasure, when it comes to the log behind it,
// then it is decided again, on what is left.
func TestWhatWasDecidedBeforeAnErasureIsDecidedAgain(t *testing.T) {
	h := newHouse(t)
	h.put(0, arrived{"Ann"})
	var decided sync.Once
	require.NoError(t, eventstore.Do(t.Context(), h.nodes[0], visits, stay, byHost, func(s visit) ([]event.Payload, error) {
		decided.Do(func() { h.keys.erase(h.erase(1)) })
		return greet(s)
	}))
	require.Equal(t, visit{Guest: sealed.Erased, Greetings: []string{"Hello " + sealed.Erased}}, h.state())
}

// Given companions with keys of their own, when one is erased, then the others and the guest stay.
func TestOneOfManyIsErased(t *testing.T) {
	h := newHouse(t)
	h.put(0, arrived{"Ann"}, joined{"Bo"}, joined{"Cy"})
	ids := slices.Collect(sealed.IDs(h.log.Accepted()[1].Stored(), visits.Newest("parley.visits.joined.v1")))
	require.Len(t, ids, 1)

	require.Equal(t, ids, h.erase(0, ids[0].String()))
	require.Equal(t, visit{Guest: "Ann", Companions: []string{sealed.Erased, "Cy"}}, h.state())
	h.put(1, joined{"Di"})
	h.keys.erase(ids)
	require.Equal(t, visit{Guest: "Ann", Companions: []string{sealed.Erased, "Cy", "Di"}}, h.state())

	h.keys.erase(h.erase(1))
	require.Equal(t, visit{Guest: sealed.Erased, Companions: []string{sealed.Erased, "Cy", "Di"}}, h.state(), "the guest alone")
}

// Given an erasure, when it is repeated, then nothing is written, and the keys are named
// again; when something came since, then it is erased too.
func TestAnErasureMayBeRepeated(t *testing.T) {
	h := newHouse(t)
	h.put(0, arrived{"Ann"})
	first := h.erase(0)
	records := len(h.log.Accepted())
	require.Equal(t, first, h.erase(0))
	require.Equal(t, first, h.erase(1))
	require.Len(t, h.log.Accepted(), records)

	h.put(0, arrived{"Ann again"})
	h.keys.erase(h.erase(1))
	require.Equal(t, visit{Guest: sealed.Erased}, h.state())
}

// Given a stream that nobody wrote, when it is erased, then it stays so.
func TestNothingIsErasedFromNothing(t *testing.T) {
	h := newHouse(t)
	require.Empty(t, h.erase(0))
	require.Empty(t, h.log.Accepted())
}

// Given a request that was answered, when it is repeated behind the erasure, then its answer
// no longer knows the person.
func TestARepeatedRequestIsAnsweredWithoutThePerson(t *testing.T) {
	h := newHouse(t)
	cmd := byHost
	cmd.RequestID, cmd.RequestHash = "r-1", "hash"
	arrive := func(node int, stateless bool) eventstore.Result[visit] {
		cmd.Stateless = stateless
		res, err := eventstore.Execute(t.Context(), h.nodes[node], visits, stay, cmd, func(visit) ([]event.Payload, error) {
			return []event.Payload{arrived{"Ann"}}, nil
		})
		require.NoError(t, err)
		return res
	}
	require.Equal(t, arrived{"Ann"}, arrive(0, false).Payloads()[0])
	h.erase(1)
	for node := range h.nodes {
		for _, stateless := range []bool{false, true} {
			res := arrive(node, stateless)
			require.True(t, res.Replayed)
			require.Equal(t, arrived{sealed.Erased}, res.Payloads()[0])
		}
	}
}
