package keys

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// usage is what the events of a log say of its data keys.
type usage struct {
	log    *kafka.Log
	seen   func(sealed.ID)          // told of every key that a counted event needs
	erased map[part]map[string]bool // streams with an erasure
}

type part struct {
	category *event.Category
	number   int
}

// readUsage reads the whole log once. said is told how far it is.
func readUsage(ctx context.Context, log *kafka.Log, seen func(sealed.ID), said func(done, of int)) (*usage, error) {
	u := &usage{log, seen, map[part]map[string]bool{}}
	all := catalog.Categories()
	for n, c := range all {
		count, err := log.Partitions(c.Topic())
		if err != nil {
			return nil, err
		}
		for p := range count {
			if err := u.read(ctx, part{c, p}); err != nil {
				return nil, err
			}
		}
		said(n+1, len(all))
	}
	return u, nil
}

func (u *usage) read(ctx context.Context, p part) error {
	_, err := eventstore.ReadAccepted(ctx, u.log, p.category.Topic(), p.number, func(commit []eventstore.Entry) error {
		for _, e := range commit {
			if p.category.Erases(e.Record.Type) {
				if u.erased[p] == nil {
					u.erased[p] = map[string]bool{}
				}
				u.erased[p][e.Record.Stream] = true
			}
			for _, id := range eventstore.UsedKeys(p.category, e.Record) {
				u.seen(id)
			}
		}
		return nil
	})
	return err
}

// erasedKeys reads those partitions again that have erasures, and gives the keys that these
// are about to take.
func (u *usage) erasedKeys(ctx context.Context, take func([]sealed.ID) error) error {
	for p, streams := range u.erased {
		records := map[string][]*eventstore.Record{}
		_, err := eventstore.ReadAccepted(ctx, u.log, p.category.Topic(), p.number, func(commit []eventstore.Entry) error {
			for _, e := range commit {
				if !streams[e.Record.Stream] {
					continue
				}
				r := &eventstore.Record{Stream: e.Record.Stream, Version: e.Record.Version, Type: e.Record.Type, KeyID: e.Record.KeyID}
				if p.category.Erases(r.Type) {
					r.Data = e.Record.Data
				}
				records[r.Stream] = append(records[r.Stream], r)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for stream, all := range records {
			ids, err := eventstore.ErasedKeys(p.category, all)
			if err != nil {
				return fmt.Errorf("%s: %w", stream, err)
			}
			if err := take(ids); err != nil {
				return err
			}
		}
	}
	return nil
}
