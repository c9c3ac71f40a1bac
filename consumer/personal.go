package consumer

import (
	"context"
	"errors"
	"fmt"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
)

// personal opens what is personal in events, or shuts it where there is no keyset.
type personal struct {
	keys *keyring.Copy // nil: none
}

func personalOf(ctx context.Context, log *kafka.Log, keyset string) (personal, error) {
	var p personal
	if keyset == "" {
		return p, nil
	}
	master, err := vault.Open(keyset)
	if err != nil {
		return p, fmt.Errorf("consumer: %w", err)
	}
	if p.keys, err = keyring.ReadCopy(ctx, log.Keys(), master); err != nil {
		return p, fmt.Errorf("consumer: %w", err)
	}
	return p, nil
}

// show makes the events of one topic readable. A topic that is none of Parley's categories is
// left as it is.
func (p personal) show(ctx context.Context, topic string, commits []Commit) error {
	category := catalog.OfTopic(topic)
	if category == nil {
		return nil
	}
	var all []*Event
	for _, c := range commits {
		all = append(all, c...)
	}
	if p.keys == nil {
		eventstore.Shut(category, all...)
		return nil
	}
	if err := p.keys.Follow(ctx); err != nil { // who was erased since is not shown
		return err
	}
	err := eventstore.Open(ctx, p.keys, category, all...)
	if errors.Is(err, keyring.ErrLost) || errors.Is(err, keyring.ErrShut) {
		return stop(err)
	}
	return err
}
