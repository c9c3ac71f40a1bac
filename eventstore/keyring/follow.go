package keyring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// pause is how long the ring waits after a failure.
const pause = 250 * time.Millisecond

// Run follows the topic until the context ends: what was erased is forgotten, and the table
// gets what it does not have.
func (r *Ring) Run(ctx context.Context) {
	at, read := int64(-1), int64(-1) // where the next read begins, and up to where this node has read; -1: unknown
	missed := false                  // the topic was not looked at for a while
	for ctx.Err() == nil {
		if r.lacking.Swap(false) {
			at = -1
		}
		next, err := r.follow(ctx, at, read)
		if err == nil {
			if read < 0 { // what was erased up to here, this node has not met
				r.known.forget()
			}
			if missed { // brokers may have ended and come back, and nobody saw it
				r.lot.drop()
				r.doubt.count.Add(1)
			}
			at, read, missed = next, next, false
			continue
		}
		missed = true
		r.fresh.drop()
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, ErrUnmade): // each first start begins so
			r.Log.Info("the keys of the log are followed once their table is made")
		default:
			r.Log.Warn("the keys of the log cannot be followed, trying again", "error", err)
		}
		at, read = -1, -1
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// follow takes one step: from where the table is, or goes on from where it read to. It leaves nothing out that another
// node has put into the table meanwhile: who has read an erased key here remembers it until its erasure is met.
func (r *Ring) follow(ctx context.Context, at, read int64) (int64, error) {
	if at < 0 {
		var err error
		if at, err = r.Table.Next(ctx); err != nil {
			return at, fmt.Errorf("asking how far the table of keys is: %w", err)
		}
	}
	if err := r.sure(ctx, at); err != nil {
		return at, err
	}
	if read >= 0 {
		at = min(at, read)
	}
	records, next, err := r.Topic.Read(ctx, at)
	if err != nil {
		r.doubts(err)
		return at, fmt.Errorf("reading keys: %w", err)
	}
	if next == at {
		return at, nil
	}
	back, allNew, err := r.comeBack(ctx, at, records)
	if err != nil {
		return at, err
	}
	for _, record := range records {
		if record.Erased() {
			r.known.erase(record.ID)
		}
	}
	stands, err := r.Table.Put(ctx, at, next, records, allNew)
	if err != nil {
		return at, fmt.Errorf("keeping keys: %w", err)
	}
	if stands < at { // the table was emptied, as by a rebuild of the database
		return stands, nil
	}
	r.step()
	return min(stands, next), r.eraseAgain(ctx, back)
}

// comeBack finds erased keys among what was read: a copy of the topic from before was put
// in its place, or somebody wrapped a key anew while it was being erased. The erasure is in
// the table, or was read just before. What this node has just made comes for the first time.
// Behind the table none does: whoever put it there has looked, and the table knows what is still to be read here.
// allNew says that what was read are keys, each for the first time, that the table does not have.
func (r *Ring) comeBack(ctx context.Context, at int64, records []Record) (back []Record, allNew bool, err error) {
	var ids []sealed.ID
	erased, again := map[sealed.ID]Record{}, map[sealed.ID]bool{}
	for _, record := range records {
		if record.Erased() {
			erased[record.ID] = record
			continue
		}
		if _, before := erased[record.ID]; before {
			again[record.ID] = true
		}
		if !r.fresh.met(record.ID) {
			ids = append(ids, record.ID)
		}
	}
	var known []Record
	if len(ids) > 0 {
		if known, err = r.Table.Find(ctx, ids); err != nil {
			return nil, false, fmt.Errorf("looking for erased keys: %w", err)
		}
	}
	allNew = len(known) == 0 && len(erased) == 0
	for _, record := range known {
		if record.Erased() {
			back = append(back, record)
			again[record.ID] = false
		}
	}
	for id, comes := range again {
		if comes {
			back = append(back, erased[id])
		}
	}
	if len(back) == 0 {
		return nil, allNew, nil
	}
	stands, err := r.Table.Next(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("asking how far the table of keys is: %w", err)
	}
	if stands > at {
		return nil, false, nil
	}
	return back, false, nil
}

// eraseAgain writes on the topic what the table knows for certain.
func (r *Ring) eraseAgain(ctx context.Context, records []Record) error {
	if len(records) == 0 {
		return nil
	}
	r.Log.Error("erased keys came back on parley.keys; they are erased again: look who put an old copy of the topic in place", "keys",
		len(records))
	return r.Topic.Append(ctx, records)
}

// Erase makes what was sealed with the keys unreadable for ever. When it returns the topic
// says so, and this node has forgotten them; others have within moments.
func (r *Ring) Erase(ctx context.Context, ids []sealed.ID) error {
	records := make([]Record, len(ids))
	for i, id := range ids {
		records[i] = Record{ID: id, ErasedAt: r.Now().UTC()}
	}
	if err := r.Topic.Append(ctx, records); err != nil {
		return fmt.Errorf("erasing data keys: %w", err)
	}
	for _, id := range ids {
		r.known.erase(id)
	}
	return nil
}

// step wakes who waits for the table.
func (r *Ring) step() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.moved)
	r.moved = make(chan struct{})
}

// lookAgain is how often the table is asked how far it is, where another node may fill it.
const lookAgain = 50 * time.Millisecond

// catchUp waits until the table has what is on the topic now.
func (r *Ring) catchUp(ctx context.Context) error {
	end, err := r.Topic.End(ctx)
	if err != nil {
		return fmt.Errorf("asking where the keys end: %w", err)
	}
	for {
		r.mu.Lock()
		moved := r.moved
		r.mu.Unlock()
		next, err := r.Table.Next(ctx)
		if err != nil {
			return fmt.Errorf("asking how far the table of keys is: %w", err)
		}
		if next >= end {
			return nil
		}
		r.lacking.Store(true) // it may have been emptied, and then nothing that comes would say so
		select {
		case <-moved:
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return fmt.Errorf("waiting for the keys up to %d, which are read up to %d: %w", end, next, ctx.Err())
		}
	}
}
