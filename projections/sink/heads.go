package sink

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/parley-platform/parley/eventstore"
)

// Heads are the heads of the streams a worker met, with those of the transaction
// at hand apart until it is committed.
type Heads struct {
	Known   map[string]eventstore.Head
	Staged  map[string]eventstore.Head
	guessed []string // streams that were taken to be new
}

// mostHeads bounds the memory of a worker; past it, heads are read again.
const mostHeads = 50_000

// Get implements eventstore.Heads.
func (h *Heads) Get(stream string) eventstore.Head {
	if s, ok := h.Staged[stream]; ok {
		return s
	}
	return h.Known[stream]
}

// Set implements eventstore.Heads.
func (h *Heads) Set(stream string, head eventstore.Head) { h.Staged[stream] = head }

// Keep makes what was staged known: its transaction has committed.
func (h *Heads) Keep() {
	for s, head := range h.Staged {
		h.Known[s] = head
	}
}

// Knowing is how much is asked about streams that were not met before.
type Knowing bool

const (
	Guessing Knowing = false // a stream whose first version is among the entries is new
	Asking   Knowing = true
)

// Proves reports whether the index will see every guess: of each stream that was taken
// to be new, the first version is about to be written. Where it is not (its commit is
// torn, say), what was judged on the guess may be wrong.
func (h *Heads) Proves() bool {
	for _, s := range h.guessed {
		if _, written := h.Staged[s]; !written {
			return false
		}
	}
	return true
}

// Existed reports whether the stream index refused a version that it has: a stream
// that was taken to be new is not.
func Existed(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505" && pg.TableName == "events"
}

// Missing lists the streams of the entries whose heads have to be asked for.
func (h *Heads) Missing(entries []eventstore.Entry, how Knowing) []string {
	if len(h.Known) > mostHeads {
		clear(h.Known)
	}
	h.Staged, h.guessed = map[string]eventstore.Head{}, nil
	seen := map[string]bool{}
	var out []string
	for _, e := range entries {
		if e.Record == nil || seen[e.Record.Stream] {
			continue
		}
		seen[e.Record.Stream] = true
		if _, ok := h.Known[e.Record.Stream]; ok {
			continue
		}
		if how == Guessing && e.Record.Version == 1 && e.Record.CommitIndex == 0 {
			h.guessed = append(h.guessed, e.Record.Stream)
			continue
		}
		out = append(out, e.Record.Stream)
	}
	return out
}
