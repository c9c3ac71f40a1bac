package keyring

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// Rewrapper is a master key of which a newer one seals.
type Rewrapper interface {
	Wrapper
	// Newest reports whether a text was sealed by the key that seals now.
	Newest(sealed string) (bool, error)
}

// rewrapLot is how many keys are wrapped anew in one batch.
const rewrapLot = 500

// Rewrapped is what a rewrap did.
type Rewrapped struct {
	Keys    int `json:"keys"`    // that there are
	Wrapped int `json:"wrapped"` // anew
	Erased  int `json:"erased"`  // that are gone, and have nothing to wrap
}

// Rewrap wraps every key anew that an older master key has wrapped. It may be ended and begun
// again; what is done is not done twice. Keys that are erased meanwhile stay erased. said is
// told how far it is; it may be nil.
func Rewrap(ctx context.Context, topic Topic, master Rewrapper, said func(done, of int)) (Rewrapped, error) {
	all, err := ReadCopy(ctx, topic, master)
	if err != nil {
		return Rewrapped{}, err
	}
	out := Rewrapped{Keys: len(all.records)}
	var old []Record
	for _, r := range all.records {
		if r.Erased() {
			out.Erased++
			continue
		}
		newest, err := master.Newest(r.Wrapped)
		if err != nil {
			return out, err
		}
		if !newest {
			old = append(old, r)
		}
	}
	for out.Wrapped < len(old) {
		if said != nil {
			said(out.Wrapped, len(old))
		}
		lot := old[out.Wrapped:min(out.Wrapped+rewrapLot, len(old))]
		if err := rewrap(ctx, topic, master, lot); err != nil {
			return out, err
		}
		out.Wrapped += len(lot)
	}
	return out, eraseThose(ctx, topic, all, old)
}

func rewrap(ctx context.Context, topic Topic, master Wrapper, lot []Record) error {
	anew := make([]Record, len(lot))
	for i, r := range lot {
		secret, err := master.Unseal(r.Wrapped, wrapped(r.ID))
		if err != nil {
			return fmt.Errorf("data key %s does not open with this keyset: put the keyset file of this log back", r.ID)
		}
		text, err := master.Seal(secret, wrapped(r.ID))
		if err != nil {
			return fmt.Errorf("wrapping a data key: %w", err)
		}
		anew[i] = Record{ID: r.ID, Wrapped: text, MadeAt: r.MadeAt}
	}
	return topic.Append(ctx, anew)
}

// eraseThose erases what was erased after it had been read, and then wrapped anew.
func eraseThose(ctx context.Context, topic Topic, all *Copy, old []Record) error {
	if len(old) == 0 {
		return nil
	}
	if err := all.readOn(ctx); err != nil {
		return err
	}
	var gone []Record
	for _, r := range old {
		if now := all.records[r.ID]; now.Erased() {
			gone = append(gone, now)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return topic.Append(ctx, gone)
}

// wrapped is what a key is wrapped for.
func wrapped(id sealed.ID) string { return purpose + " " + id.String() }
