package eventstore_test

import (
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/parley-platform/parley/eventstore"
	"github.com/stretchr/testify/require"
)

// history drives one random run: clients, nodes, network, projectors and a
// database that may all fail, in an order that comes from the seed.
type history struct {
	*twin
	projectors []*projector
	wishes     []*wish
}

func newHistory(seed uint64, off ablation) *history {
	h := &history{twin: newTwin(seed, off, 3)}
	for i := range 2 {
		h.projectors = append(h.projectors, &projector{t: h.twin, node: i})
	}
	return h
}

// runHistory returns the twin after one history of the seed.
func runHistory(t *testing.T, seed uint64, off ablation) (w *twin) {
	synctest.Test(t, func(*testing.T) {
		h := newHistory(seed, off)
		w = h.twin
		defer h.stop()
		for range 40 + h.rnd.IntN(260) {
			h.step()
			synctest.Wait()
		}
		h.heal()
		h.end()
	})
	return w
}

// step does one thing.
func (h *history) step() {
	t := h.twin
	x := t.rnd.IntN(200)
	if x >= 160 && x < 168 {
		time.Sleep([]time.Duration{20, 20, 100, 100, 1000, 12000}[t.rnd.IntN(6)] * time.Millisecond)
		return
	}
	if x >= 198 {
		h.storm()
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case x < 24:
		if len(h.wishes) < 12 {
			w := t.newWish(len(h.wishes))
			h.wishes = append(h.wishes, w)
			t.ask(w, t.anyNode())
		}
	case x < 90:
		if len(t.tasks) > 0 {
			h.perform(t.tasks[t.rnd.IntN(len(t.tasks))])
		}
	case x < 102:
		if len(t.late) > 0 {
			h.landLate()
		}
	case x < 142:
		h.projectors[t.rnd.IntN(len(h.projectors))].step()
	case x < 160:
		t.anyNode().look()
	case x < 174:
		if len(t.calls) > 0 {
			t.calls[t.rnd.IntN(len(t.calls))].cancel()
		}
	case x < 184:
		t.again(h.wishes)
	case x < 185:
		t.kill(t.rnd.IntN(len(t.nodes)))
	case x < 191:
		t.hist = t.hist[len(t.hist)-1:] // flushed
	case x < 193:
		t.crash()
	default:
		h.litter()
	}
}

// perform ends a task in one of the ways in which it can end.
func (h *history) perform(k *task) {
	t := h.twin
	if k.msg == nil {
		t.read(k)
		return
	}
	switch x := t.rnd.IntN(20); {
	case x < 10:
		t.finish(k, t.land(k.msg, len(k.msg)), nil)
	case x < 13: // it landed, the answer was lost
		t.done["ack lost"]++
		t.land(k.msg, len(k.msg))
		t.finish(k, 0, errLost)
	case x < 17: // it is held somewhere
		t.late = append(t.late, k.msg)
		t.finish(k, 0, errLost)
	case x < 19:
		t.finish(k, 0, errRefused)
	default: // a mirror cut the batch in two and lost the second half
		t.done["torn"]++
		t.land(k.msg, 1+t.rnd.IntN(len(k.msg)))
		t.finish(k, 0, errLost)
	}
}

// landLate lands one message that was held, or, when a line is free again, all of
// them in the order in which they were sent.
func (h *history) landLate() {
	t := h.twin
	from, to := 0, len(t.late)
	if t.rnd.IntN(4) > 0 {
		from = t.rnd.IntN(len(t.late))
		to = from + 1
	}
	for _, m := range t.late[from:to] {
		t.land(m, len(m))
		t.done["landed late"]++
	}
	t.late = append(t.late[:from:from], t.late[to:]...)
}

// storm holds up whatever one node sends, until the node gives up.
func (h *history) storm() {
	n := h.anyNode()
	for range 20 {
		h.mu.Lock()
		for _, k := range slices.Clone(h.tasks) {
			if k.node == n && k.msg != nil {
				h.late = append(h.late, k.msg)
				h.finish(k, 0, errLost)
			}
		}
		h.mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
	}
}

// litter puts a record on the log that no node wrote.
func (h *history) litter() {
	t := h.twin
	head := t.db.head("notebook-hot")
	r := &eventstore.Record{ID: uuid.NewString(), Type: "parley.notebooks.noted.v1", Stream: "notebook-hot", Tenant: "evil",
		Version: head.Version + 1, Commit: uuid.NewString(), CommitSize: 1, Parent: head.Commit, Data: []byte(`{"call":"litter"}`)}
	w := wire{key: []byte(r.Stream), value: r.Data, headers: r.Headers()}
	if head.Version == 0 || t.rnd.IntN(2) == 0 {
		w.headers = w.headers[:5]
	}
	t.land(message{w}, 1)
}

// heal lets everything work again: all calls come to their answers, and after that
// every node takes a new command and repeats what it answered before.
func (h *history) heal() {
	h.run()
	h.mu.Lock()
	var calls []*call
	for _, n := range h.nodes {
		calls = append(calls, h.ask(&wish{no: 100 + n.no, kind: toAppend, stream: "notebook-hot", parts: 1}, n))
	}
	for _, w := range h.wishes {
		if w.answered && w.key != "" && w.kind == toAppend {
			calls = append(calls, h.ask(w, h.anyNode()))
		}
	}
	h.mu.Unlock()
	h.run()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range calls {
		if c.err != nil {
			h.violated(stuck, "%s was answered %v when all was well again", c.name, c.err)
		}
	}
}

// run does whatever is to be done, without faults, until all calls have their answer.
func (h *history) run() {
	for range 500 {
		synctest.Wait() // every goroutine waits for a task or the time
		if h.round() == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// round ends all tasks well and returns how many calls wait for an
// answer, and nodes for the read models.
func (h *history) round() (open int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.calls {
		if !c.over {
			open++
		}
	}
	for _, k := range slices.Clone(h.tasks) {
		if k.msg == nil {
			h.read(k)
		} else {
			h.finish(k, h.land(k.msg, len(k.msg)), nil)
		}
	}
	for range 3 {
		for _, p := range h.projectors {
			p.step()
		}
	}
	for _, n := range h.nodes {
		n.look()
		if !n.open {
			open++
		}
	}
	return open
}

// end lands what is still held, or not, lets the projectors read all of the log,
// and checks the invariants.
func (h *history) end() {
	h.mu.Lock()
	for len(h.late) > 0 {
		if h.rnd.IntN(2) == 0 {
			h.late = h.late[1:]
			continue
		}
		h.landLate()
	}
	for i := range 20 * (len(h.log) + 20) {
		h.projectors[i%2].step()
		if h.db.next == int64(len(h.log)) {
			break
		}
	}
	h.check()
	h.mu.Unlock()
}

// stop ends all nodes and calls, as a bubble must.
func (h *history) stop() {
	h.mu.Lock()
	for no := range h.nodes {
		h.kill(no)
	}
	h.mu.Unlock()
	for _, n := range h.nodes {
		n.store.Close()
	}
	h.closing.Wait()
}

// histories is how many random histories are run; PARLEY_HISTORIES says another number.
func histories(t *testing.T, usual int) uint64 {
	if s := os.Getenv("PARLEY_HISTORIES"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err, "PARLEY_HISTORIES")
		return uint64(n)
	}
	return uint64(usual)
}

func TestHistoriesKeepAllInvariants(t *testing.T) {
	const lanes = 4
	n := histories(t, 1000)
	total := make([]map[string]int, lanes)
	t.Run("lanes", func(t *testing.T) {
		for lane := range lanes {
			total[lane] = map[string]int{}
			t.Run(strconv.Itoa(lane), func(t *testing.T) {
				t.Parallel()
				for seed := uint64(lane); seed < n; seed += lanes {
					w := runHistory(t, seed, nothing)
					require.Empty(t, w.found, "seed %d", seed)
					for what, count := range w.done {
						total[lane][what] += count
					}
				}
			})
		}
	})
	sum := map[string]int{}
	for _, m := range total {
		for what, count := range m {
			sum[what] += count
		}
	}
	t.Logf("%d histories: %v", n, sum)
}

// caught runs histories with a safety mechanism switched off until the checker
// finds the violation it should find.
func caught(t *testing.T, off ablation, want ...violation) {
	t.Helper()
	t.Parallel()
	const most = 20000
	var tried atomic.Int64
	for seed := range uint64(most) {
		tried.Add(1)
		w := runHistory(t, seed, off)
		for _, v := range want {
			if what, ok := w.found[v]; ok {
				t.Logf("%s found after %d histories: %s", v, seed+1, what)
				return
			}
		}
	}
	t.Fatalf("not one of %v found in %d histories", want, most)
}
