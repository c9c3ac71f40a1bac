package keyring

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// mendLot is how many records are written back in one batch.
const mendLot = 500

// Mended is what a mending wrote.
type Mended struct {
	Erased   int `json:"erased"`   // keys that stood there again, or not at all, and were erased
	Returned int `json:"returned"` // keys that were not there
	GivenUp  int `json:"givenUp"`  // keys that are nowhere, and count as erased from now on
}

// Mending writes back onto a topic that was cut, or of which an older copy was put in place,
// what it lacks. Nodes may run meanwhile. It may be ended and begun again.
type Mending struct {
	Topic Topic
	Now   func() time.Time
	all   *Copy
	lot   []Record
	done  Mended
}

// Begin reads what stands on the topic.
func (m *Mending) Begin(ctx context.Context) (err error) {
	m.all, err = ReadCopy(ctx, m.Topic, nil)
	return err
}

// Erase erases again what is known to be erased. It comes before Return, so that nothing
// comes back.
func (m *Mending) Erase(ctx context.Context, ids []sealed.ID) error {
	for _, id := range ids {
		if known, stands := m.all.records[id]; stands && known.Erased() {
			continue
		}
		m.done.Erased++
		if err := m.put(ctx, Record{ID: id, ErasedAt: m.Now().UTC()}); err != nil {
			return err
		}
	}
	return m.flush(ctx)
}

// Return puts back what others remember of the topic, such as the table of keys.
func (m *Mending) Return(ctx context.Context, remembered iter.Seq2[Record, error]) error {
	for r, err := range remembered {
		if err != nil {
			return err
		}
		known, stands := m.all.records[r.ID]
		switch {
		case stands && (known.Erased() || !r.Erased()):
			continue
		case r.Erased():
			m.done.Erased++
		default:
			m.done.Returned++
		}
		if err := m.put(ctx, r); err != nil {
			return err
		}
	}
	return m.flush(ctx)
}

// Lost leaves those ids whose keys are still not there.
func (m *Mending) Lost(ctx context.Context, used []sealed.ID) (lost []sealed.ID, err error) {
	if err := m.all.Follow(ctx); err != nil { // keys that were made meanwhile
		return nil, err
	}
	for _, id := range used {
		if !m.all.Has(id) {
			lost = append(lost, id)
		}
	}
	return lost, nil
}

// GiveUp erases keys that nobody has.
func (m *Mending) GiveUp(ctx context.Context, lost []sealed.ID) error {
	for _, id := range lost {
		m.done.GivenUp++
		if err := m.put(ctx, Record{ID: id, ErasedAt: m.Now().UTC()}); err != nil {
			return err
		}
	}
	return m.flush(ctx)
}

// Done is what was written so far.
func (m *Mending) Done() Mended { return m.done }

func (m *Mending) put(ctx context.Context, r Record) error {
	m.all.records[r.ID] = r
	if m.lot = append(m.lot, r); len(m.lot) < mendLot {
		return nil
	}
	return m.flush(ctx)
}

func (m *Mending) flush(ctx context.Context) error {
	if len(m.lot) == 0 {
		return nil
	}
	if err := m.Topic.Append(ctx, m.lot); err != nil {
		return fmt.Errorf("writing back to the keys: %w", err)
	}
	m.lot = nil
	return nil
}
