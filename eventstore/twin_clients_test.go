package eventstore_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// kind is what a client wants.
type kind int

const (
	toAppend  kind = iota // notes on the hot stream
	toCreate              // the first notes of a stream of its own; a second time is refused
	toRefuse              // a command that the domain always refuses
	toNothing             // a command with nothing to do
	toQuery               // a query
)

// wish is what one client wants; with a key it may ask several times.
type wish struct {
	no       int
	kind     kind
	stream   string
	key      string
	parts    int
	tries    int
	asking   bool
	answered bool
}

// call is one try.
type call struct {
	wish   *wish
	name   string
	node   *node
	cancel context.CancelFunc
	least  int64 // the stream's version that was acknowledged before it began
	tries  int   // of decide
	saw    notebook

	over bool
	res  eventstore.Result[notebook]
	err  error
}

// newWish makes up what a client wants.
func (t *twin) newWish(no int) *wish {
	w := &wish{no: no, stream: "notebook-hot", parts: 1 + t.rnd.IntN(3), key: fmt.Sprintf("key-%d", no)}
	switch x := t.rnd.IntN(20); {
	case x < 4:
		w.kind, w.stream = toCreate, fmt.Sprintf("notebook-%d", no)
	case x < 6:
		w.kind = toRefuse
	case x < 7:
		w.kind = toNothing
	case x < 9:
		w.kind = toQuery
	case x < 12:
		w.key = ""
	}
	return w
}

// ask begins a try of a wish on a node.
func (t *twin) ask(w *wish, n *node) *call {
	w.tries++
	w.asking = true
	c := &call{wish: w, node: n, name: fmt.Sprintf("wish%d.%d", w.no, w.tries), least: t.acked[w.stream]}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	t.calls = append(t.calls, c)
	go func() {
		defer cancel()
		res, err := t.perform(ctx, c)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.answer(c, res, err)
	}()
	return c
}

// looksBack reads a few of the newest events: they lead to the state that they come with.
func (t *twin) looksBack(ctx context.Context, c *call) error {
	told, err := eventstore.Recent(ctx, c.node.store, notebooks, c.wish.stream,
		func(newest []eventstore.Recorded) bool { return len(newest) > 5 })
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c.saw = told.State
	var n notebook
	begun := false
	for i, e := range told.Events {
		noted := e.Payload.(noted)
		if !begun && i > 0 && e.Commit != told.Events[i-1].Commit {
			n.Print, begun = noted.Base, true
		}
		if begun {
			noted.Apply(&n)
		}
		if behind := len(told.Events) - 1 - i; e.Version != told.Version-int64(behind) {
			t.violated(staleAnswer, "%s was shown version %d of %s with %d behind it, as version %d", c.name, e.Version, c.wish.stream, behind,
				told.Version)
		}
	}
	if begun && n.Print != told.State.Print {
		t.violated(staleAnswer, "%s was shown events of %s that do not lead to its state", c.name, c.wish.stream)
	}
	return nil
}

// perform is the way of one request through its node.
func (t *twin) perform(ctx context.Context, c *call) (eventstore.Result[notebook], error) {
	w := c.wish
	if w.kind == toQuery {
		if c.name[len(c.name)-1]%2 == 0 {
			return eventstore.Result[notebook]{}, t.looksBack(ctx, c)
		}
		got, err := eventstore.Read(ctx, c.node.store, notebooks, w.stream)
		c.saw = got.State
		return eventstore.Result[notebook]{}, err
	}
	if t.off == refusalsFromCache && w.kind == toRefuse && t.peek(c) {
		return eventstore.Result[notebook]{}, refused
	}
	if t.off == requestIDsReadBefore && w.key != "" {
		if res, err := t.lookUpKey(ctx, c); err != nil || len(res.Events) > 0 {
			return res, err
		}
	}
	cmd := eventstore.Command{Tenant: "acme", Actor: "user:ann", CorrelationID: "tr-" + c.name}
	if w.key != "" {
		cmd.RequestID, cmd.RequestHash = w.key, "hash"
	}
	return eventstore.Execute(ctx, c.node.store, notebooks, w.stream, cmd, c.decide)
}

var refused = fault.New(fault.Conflict, "refused")

func (c *call) decide(s notebook) ([]event.Payload, error) {
	c.tries++
	c.saw = s
	switch {
	case c.wish.kind == toRefuse, c.wish.kind == toCreate && s.Notes > 0:
		return nil, refused
	case c.wish.kind == toNothing:
		return nil, nil
	}
	var out []event.Payload
	for i := range c.wish.parts {
		out = append(out, noted{Call: c.name, Text: fmt.Sprintf("%s#%d", c.name, c.tries), Part: i, Base: s.Print})
	}
	return out, nil
}

// peek answers from the node's cache alone: the ablation refusalsFromCache.
func (t *twin) peek(c *call) bool {
	state, known := eventstore.Peek[notebook](c.node.store, c.wish.stream)
	c.saw = state
	return known
}

// lookUpKey asks for a request id before, and apart from, the state.
func (t *twin) lookUpKey(ctx context.Context, c *call) (res eventstore.Result[notebook], err error) {
	_, err = t.await(ctx, &task{node: c.node, do: func(d *database) {
		for _, r := range d.index[c.wish.stream] {
			if r.RequestID == c.wish.key {
				p, _ := notebooks.Decode(r.Type, r.Data)
				res.Events = append(res.Events, eventstore.Recorded{r, p})
			}
		}
	}})
	return res, err
}

// answer notes what a client was told.
func (t *twin) answer(c *call, res eventstore.Result[notebook], err error) {
	c.over, c.res, c.err = true, res, err
	c.wish.asking = false
	t.done["answered "+string(fault.CodeOf(err))]++
	if c.node.dead {
		return // nobody hears it
	}
	if err == nil && len(res.Events) > 0 {
		last := res.Events[len(res.Events)-1]
		t.acked[last.Stream] = max(t.acked[last.Stream], last.Version)
		if res.Replayed {
			t.done["replayed"]++
		}
	}
	c.wish.answered = c.wish.answered || err == nil || fault.Is(err, fault.Conflict)
	if c.sawState() && c.saw.Notes < c.least {
		t.violated(staleAnswer, "%s was answered on version %d of %s, %d was acknowledged before it was sent", c.name, c.saw.Notes, c.wish.stream,
			c.least)
	}
}

// sawState reports whether the call was answered with what the state is: a query,
// a refusal, or that there is nothing to do.
func (c *call) sawState() bool {
	return c.over && !c.node.dead && (c.err == nil && len(c.res.Events) == 0 || fault.Is(c.err, fault.Conflict))
}

// again lets a client without an answer repeat its wish with the same key.
func (t *twin) again(wishes []*wish) {
	for _, i := range t.rnd.Perm(len(wishes)) {
		w := wishes[i]
		if w.key != "" && !w.asking && !w.answered && w.tries < 3 {
			t.ask(w, t.anyNode())
			return
		}
	}
}

func (t *twin) anyNode() *node { return t.nodes[t.rnd.IntN(len(t.nodes))] }

// kill ends a node: its cache is lost, its callers hear nothing, what it sent may
// yet land. Another incarnation takes its place.
func (t *twin) kill(no int) {
	n := t.nodes[no]
	n.dead = true
	t.done["node killed"]++
	for _, k := range slices.Clone(t.tasks) {
		if k.node == n {
			t.remove(k)
			k.dead = true
			if k.msg != nil {
				t.late = append(t.late, k.msg)
			}
			k.end <- taskOutcome{err: fmt.Errorf("the node is dead: %w", eventstore.ErrRefused)}
		}
	}
	for _, c := range t.calls {
		if c.node == n {
			c.cancel()
			c.wish.asking = false
		}
	}
	t.closing.Go(n.store.Close)
	t.nodes[no] = t.newNode(no)
}
