package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// What keeps persons apart, and erased, switched off.
const (
	missingIsErased   ablation = "a key that is not found counts as erased"
	keysMadeTwice     ablation = "two nodes make the same key"
	keysBeforeEvent   ablation = "keys are erased before the event is written"
	usedBeforeDurable ablation = "a key is used before others can find it"
)

var errNoKeys = errors.New("the keys are away")

// chest is the keys as one node sees them: now and then they are away.
type chest struct {
	*visitors
	node int
}

func (c chest) Take(context.Context) (sealed.Key, error) {
	if c.away {
		return sealed.Key{}, errNoKeys
	}
	c.made[c.node]++
	n := c.made[c.node]*2 + c.node
	if c.off == keysMadeTwice {
		n = c.made[c.node]*2 + 2
	}
	id := sealed.ID{byte(n), byte(n >> 8)}
	if c.keys[id] == nil {
		key := sealed.NewKey(id, [sealed.SecretSize]byte{byte(n), byte(n >> 8)})
		c.keys[id], c.maker[id] = &key, c.node
	}
	return *c.keys[id], nil
}

func (c chest) Find(_ context.Context, ids []sealed.ID) (map[sealed.ID]*sealed.Key, error) {
	found := map[sealed.ID]*sealed.Key{}
	for _, id := range ids {
		late := c.away || c.off == usedBeforeDurable && c.maker[id] != c.node
		if late && c.off != missingIsErased {
			return nil, errNoKeys
		}
		if !late && !c.gone[id] {
			found[id] = c.keys[id]
		}
	}
	return found, nil
}

// visitors is one random run: what was done on streams, and what must be read there.
type visitors struct {
	rnd    *rand.Rand
	off    ablation
	log    *memory.Log
	nodes  []*eventstore.Store
	keys   map[sealed.ID]*sealed.Key
	maker  map[sealed.ID]int
	gone   map[sealed.ID]bool
	due    []sealed.ID // erased, as soon as that is told
	made   [3]int
	away   bool
	want   map[string]visit
	names  map[string]bool // of everybody; true: erased
	wrong  []string
	passed map[string]int
}

func newVisitors(seed uint64, off ablation) *visitors {
	v := &visitors{rnd: rand.New(rand.NewPCG(seed, 7)), off: off, log: memory.New(), keys: map[sealed.ID]*sealed.Key{},
		maker: map[sealed.ID]int{}, gone: map[sealed.ID]bool{}, want: map[string]visit{}, names: map[string]bool{}, passed: map[string]int{}}
	for range 2 {
		v.open()
	}
	return v
}

func (v *visitors) open() {
	n := len(v.nodes)
	v.nodes = append(v.nodes, v.log.Open(eventstore.Config{Node: fmt.Sprint(n), Keys: chest{v, n}}))
}

func (v *visitors) report(format string, args ...any) {
	v.wrong = append(v.wrong, fmt.Sprintf(format, args...))
}

func (v *visitors) name() string {
	name := fmt.Sprintf("Somebody%dX", len(v.names))
	v.names[name] = false
	return name
}

// forgotten notes that what the texts say is of nobody any more.
func (v *visitors) forgotten(said ...string) {
	for name := range v.names {
		if slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, name) }) {
			v.names[name] = true
		}
	}
}

// said lets a node say something; in its midst, now and then, another one erases the guest.
func (v *visitors) said(ctx context.Context, stream string, decide func(visit) ([]event.Payload, error), then func(*visit)) {
	between := v.rnd.IntN(4) == 0 && !v.away
	on := v.rnd.IntN(2)
	err := eventstore.Do(ctx, v.nodes[on], visits, stream, byHost, func(s visit) ([]event.Payload, error) {
		if between {
			between = false
			v.passed["erased between decision and append"]++
			v.erase(ctx, 1-on, stream)
		}
		return decide(s)
	})
	if err != nil {
		v.passed["refused for want of keys"]++
		if !v.away {
			v.report("%s was refused with all keys there: %v", stream, err)
		}
		return
	}
	s := v.want[stream]
	then(&s)
	v.want[stream] = s
}

// erase forgets the guest of a stream, or with keys a companion; the keys go now or later.
func (v *visitors) erase(ctx context.Context, node int, stream string, keys ...string) {
	if v.off == keysBeforeEvent && len(keys) == 0 {
		for _, r := range v.log.Accepted() {
			if id, err := sealed.ParseID(r.KeyID); err == nil && r.Stream == stream {
				v.gone[id] = true
			}
		}
		if v.rnd.IntN(2) == 0 {
			_ = eventstore.Do(ctx, v.nodes[node], visits, stream, byHost, greet)
			_ = eventstore.Do(ctx, v.nodes[node], visits, stream, byHost, func(visit) ([]event.Payload, error) {
				return []event.Payload{arrived{v.name()}}, nil
			})
		}
	}
	ids, err := eventstore.Erase(ctx, v.nodes[node], visits, stream, byHost, guestErased{event.Erasure{ErasureID: "er-1", Keys: keys}})
	if err != nil {
		v.report("erasing in %s: %v", stream, err)
	}
	if v.off != keysBeforeEvent {
		v.due = append(v.due, ids...)
	}
	if len(keys) > 0 {
		return
	}
	s := v.want[stream]
	v.forgotten(append(s.Greetings, s.Guest)...)
	if s.Guest != "" {
		s.Guest = sealed.Erased
	}
	s.Greetings = slices.Repeat([]string{sealed.Erased}, len(s.Greetings))
	v.want[stream] = s
}

// companion erases one of a stream, by the key.
func (v *visitors) companion(ctx context.Context, stream string) {
	n := len(v.want[stream].Companions)
	if n == 0 {
		return
	}
	which, seen := v.rnd.IntN(n), 0
	for _, r := range v.log.Accepted() {
		if r.Stream != stream || r.Type != "parley.visits.joined.v1" {
			continue
		}
		if seen == which {
			id := slices.Collect(sealed.IDs(r.Stored(), visits.Newest(r.Type)))[0]
			v.erase(ctx, v.rnd.IntN(2), stream, id.String())
			s := v.want[stream]
			s.Companions = slices.Clone(s.Companions)
			v.forgotten(s.Companions[which])
			s.Companions[which] = sealed.Erased
			v.want[stream] = s
			return
		}
		seen++
	}
}

func (v *visitors) step(ctx context.Context) {
	stream := fmt.Sprintf("visit-%d", v.rnd.IntN(3))
	v.away = v.rnd.IntN(6) == 0
	switch x := v.rnd.IntN(10); {
	case x < 2:
		name := v.name()
		v.said(ctx, stream, func(visit) ([]event.Payload, error) { return []event.Payload{arrived{name}}, nil },
			func(s *visit) { s.Guest = name })
	case x < 4:
		name := v.name()
		v.said(ctx, stream, func(visit) ([]event.Payload, error) { return []event.Payload{joined{name}}, nil },
			func(s *visit) { s.Companions = append(slices.Clone(s.Companions), name) })
	case x < 6:
		v.said(ctx, stream, greet, func(s *visit) { s.Greetings = append(slices.Clone(s.Greetings), "Hello "+s.Guest) })
	case x < 7:
		v.away = false
		v.erase(ctx, v.rnd.IntN(2), stream)
	case x < 8:
		v.away = false
		v.companion(ctx, stream)
	case x < 9: // what was erased is told
		for _, id := range v.due {
			v.gone[id] = true
		}
		v.due = nil
	default:
		v.read(ctx, v.rnd.IntN(2), stream)
	}
	v.away = false
}

// read compares what a node reads with what was said and not erased.
func (v *visitors) read(ctx context.Context, node int, stream string) {
	got, err := eventstore.Read(ctx, v.nodes[node], visits, stream)
	switch {
	case err != nil && v.away:
		v.passed["not read for want of keys"]++
	case err != nil:
		v.report("%s cannot be read: %v", stream, err)
	case fmt.Sprint(got.State) != fmt.Sprint(v.want[stream]):
		v.report("node %d reads of %s %v, and it is %v", node, stream, got.State, v.want[stream])
	}
}

// end tells all that is due, and compares what everybody can read then: the nodes, one that
// begins now, and who reads the log with the keys alone.
func (v *visitors) end(ctx context.Context) {
	for _, id := range v.due {
		v.gone[id] = true
	}
	v.open()
	for stream := range v.want {
		for node := range v.nodes {
			v.read(ctx, node, stream)
		}
	}
	var stored, opened []byte
	for _, r := range v.log.Accepted() {
		c := *r
		stored, c.Data, c.Sealed = append(stored, r.Stored()...), bytes.Clone(r.Stored()), nil
		if err := eventstore.Open(ctx, chest{v, 0}, visits.Category, &c); err != nil {
			v.report("a consumer cannot open v%d of %s: %v", c.Version, c.Stream, err)
		}
		opened = append(opened, c.Data...)
	}
	if bytes.Contains(stored, []byte("Somebody")) {
		v.report("somebody stands on the log in plain")
	}
	for name, erased := range v.names {
		if erased && bytes.Contains(opened, []byte(name)) {
			v.report("%s is erased, and a consumer reads it", name)
		}
	}
	for _, s := range v.want {
		for _, text := range slices.Concat([]string{s.Guest}, s.Companions, s.Greetings) {
			if !bytes.Contains(opened, []byte(text)) {
				v.report("%q is not erased, and a consumer cannot read it", text)
			}
		}
	}
	for _, n := range v.nodes {
		n.Close()
	}
}

func visited(t *testing.T, seed uint64, off ablation) *visitors {
	v := newVisitors(seed, off)
	for range 40 {
		v.step(t.Context())
	}
	v.end(t.Context())
	return v
}

// Given keys that are away now and then, erasures between a decision and its append, keys
// that go at once or late, when all is over, then each node, a new one, and a consumer read of
// everybody what was said, and of who is erased nothing.
func TestHistoriesOfErasures(t *testing.T) {
	t.Parallel()
	passed := map[string]int{}
	for seed := range histories(t, 100) {
		v := visited(t, seed, nothing)
		require.Empty(t, v.wrong, "seed %d", seed)
		for what, n := range v.passed {
			passed[what] += n
		}
	}
	require.Len(t, passed, 3, "%v", passed)
}

func TestAblationsOfErasuresAreCaught(t *testing.T) {
	for off, says := range map[ablation]string{missingIsErased: "reads", keysMadeTwice: "and it is",
		keysBeforeEvent: "and a consumer reads it", usedBeforeDurable: "keys are away"} {
		t.Run(string(off), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(500) {
				for _, w := range visited(t, seed, off).wrong {
					if strings.Contains(w, says) {
						t.Logf("seed %d: %s", seed, w)
						return
					}
				}
			}
			t.Fatal("nobody noticed")
		})
	}
}
