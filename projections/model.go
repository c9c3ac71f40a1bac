package projections

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// At is what a read model may know of an event besides its payload.
type At struct {
	Stream      string
	StreamID    string // the stream's name without its category's prefix
	Version     int64
	ID          string // of the event
	Tenant      string
	Actor       string
	Time        time.Time
	Correlation string
	Topic       string
	Partition   int
	Offset      int64
	Keys        []string // of those who stand in the event with a key of their own, as Erasure.Keys names them, in their order
}

// Key is the i-th of Keys; empty for an event in which nobody has one.
func (a At) Key(i int) string {
	if i >= len(a.Keys) {
		return ""
	}
	return a.Keys[i]
}

// Erased stands in a column in the place of what was said of somebody who was erased.
const Erased = sealed.Erased

// AtOf is what a read model is told of the record of an event.
func AtOf(r *eventstore.Record, c *event.Category) At {
	return At{Stream: r.Stream, StreamID: c.StreamID(r.Stream), Version: r.Version, ID: r.ID, Tenant: r.Tenant, Actor: r.Actor, Time: r.Time,
		Correlation: r.CorrelationID, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Keys: ownKeys(r, c)}
}

// ownKeys are those of a record that are not its stream's.
func ownKeys(r *eventstore.Record, c *event.Category) (keys []string) {
	if r.Sealed == nil {
		return nil
	}
	t := c.Newest(r.Type)
	if !sealed.HasOwn(t) { // as most events, which each read model asks of
		return nil
	}
	for id := range sealed.IDs(r.Sealed, t) {
		if key := id.String(); key != r.KeyID && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Model is one read model: its name, the version of its shape, and what it does
// with each event of the categories it follows.
type Model struct {
	Name    string
	Version int
	Tables  []string // all that it writes, and nothing else writes

	follows map[string]*event.Category // by topic
	on      map[reflect.Type]func(*Batch, At, event.Payload)
	ignores map[reflect.Type]bool
}

// NewModel declares a read model over the given categories. Every event of them
// is either handled with On or named with Ignore; a test says which is missing.
func NewModel(name string, version int, tables []string, categories ...*event.Category) *Model {
	m := &Model{Name: name, Version: version, Tables: tables, follows: map[string]*event.Category{}, on: map[reflect.Type]func(*Batch, At,
		event.Payload){}, ignores: map[reflect.Type]bool{}}
	for _, c := range categories {
		m.follows[c.Topic()] = c
	}
	return m
}

// On declares what the model stores for an event.
func On[E event.Payload](m *Model, store func(b *Batch, at At, e E)) {
	t := reflect.TypeFor[E]()
	if m.on[t] != nil {
		panic(fmt.Sprintf("read model %s handles %s twice", m.Name, t))
	}
	m.on[t] = func(b *Batch, at At, p event.Payload) { store(b, at, p.(E)) }
}

// Ignore names an event that the model has no use for.
func Ignore[E event.Payload](m *Model) { m.ignores[reflect.TypeFor[E]()] = true }

// Follows lists the categories that the model reads, by topic.
func (m *Model) Follows() map[string]*event.Category { return maps.Clone(m.follows) }

// Reads reports whether the model reads the category of a topic.
func (m *Model) Reads(topic string) bool { return m.follows[topic] != nil }

// Unhandled lists the events of the model's categories that it neither handles
// nor ignores.
func (m *Model) Unhandled() []string {
	var out []string
	for _, c := range m.follows {
		for _, k := range c.Kinds() {
			if m.on[k.Go] == nil && !m.ignores[k.Go] {
				out = append(out, fmt.Sprintf("%s does nothing with %s: add projections.On[%s] or projections.Ignore[%s] beside its others", m.Name,
					k.Type(), k.Go, k.Go))
			}
		}
	}
	return out
}

// Apply hands one event to the model.
func (m *Model) Apply(b *Batch, at At, p event.Payload) {
	if f := m.on[reflect.TypeOf(p)]; f != nil {
		f(b, at, p)
	}
}
