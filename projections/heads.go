package projections

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/parley-platform/parley/eventstore"
)

// heads are the heads of the streams a worker met, with those of the transaction
// at hand apart until it is committed.
type heads struct {
	known   map[string]eventstore.Head
	staged  map[string]eventstore.Head
	guessed []string // streams that were taken to be new
}

// mostHeads bounds the memory of a worker; past it, heads are read again.
const mostHeads = 50_000

// Get implements eventstore.Heads.
func (h *heads) Get(stream string) eventstore.Head {
	if s, ok := h.staged[stream]; ok {
		return s
	}
	return h.known[stream]
}

// Set implements eventstore.Heads.
func (h *heads) Set(stream string, head eventstore.Head) { h.staged[stream] = head }

func (h *heads) keep() {
	for s, head := range h.staged {
		h.known[s] = head
	}
}

// knowing is how much is asked about streams that were not met before.
type knowing bool

const (
	guessing knowing = false // a stream whose first version is among the entries is new
	asking   knowing = true
)

// proves reports whether the index will see every guess: of each stream that was taken
// to be new, the first version is about to be written. Where it is not (its commit is
// torn, say), what was judged on the guess may be wrong.
func (h *heads) proves() bool {
	for _, s := range h.guessed {
		if _, written := h.staged[s]; !written {
			return false
		}
	}
	return true
}

// existed reports whether the stream index refused a version that it has: a stream
// that was taken to be new is not.
func existed(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505" && pg.TableName == "events"
}

// missing lists the streams of the entries whose heads have to be asked for.
func (h *heads) missing(entries []eventstore.Entry, how knowing) []string {
	if len(h.known) > mostHeads {
		clear(h.known)
	}
	h.staged, h.guessed = map[string]eventstore.Head{}, nil
	seen := map[string]bool{}
	var out []string
	for _, e := range entries {
		if e.Record == nil || seen[e.Record.Stream] {
			continue
		}
		seen[e.Record.Stream] = true
		if _, ok := h.known[e.Record.Stream]; ok {
			continue
		}
		if how == guessing && e.Record.Version == 1 && e.Record.CommitIndex == 0 {
			h.guessed = append(h.guessed, e.Record.Stream)
			continue
		}
		out = append(out, e.Record.Stream)
	}
	return out
}
