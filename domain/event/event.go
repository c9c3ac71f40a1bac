// Package event is the vocabulary in which every other domain package speaks:
// categories of streams, the events that may stand on them, and how a stream's
// state is folded from its events.
//
// It owns the registration of an event's name and version and the lifting of
// old versions to the newest one. It never does I/O, never reads a clock and
// knows nothing of Kafka or Postgres.
package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// Payload is one domain event: a plain struct, named in the past tense, whose
// JSON form is the value of one record on the log.
type Payload interface{}

// Applier is an event that can be folded into the state S of its stream. Apply
// never fails and never looks outside its receiver and its argument.
type Applier[S any] interface {
	Payload
	Apply(*S)
}

// Upcast lifts the JSON of one version of an event to the next version.
type Upcast func(json.RawMessage) (json.RawMessage, error)

// Busy and Quiet are the partition counts a category is created with.
const (
	Busy  = 6 // categories that grow with traffic: calls, sessions, deliveries
	Quiet = 1 // administration
)

// Category is one kind of stream and one topic of the log.
type Category struct {
	Name       string // "calls"; the topic is parley.calls, the event types parley.calls.<event>.v<N>
	Prefix     string // "call"; every stream of the category is named call-<id>
	Partitions int    // wanted when the topic is created; the topic's genesis decides from then on

	kinds map[string]*Kind // by CloudEvents type
	names map[string]int   // newest version of each name
	byGo  map[reflect.Type]*Kind
}

// Topic is the Kafka topic that holds the category.
func (c *Category) Topic() string { return "parley." + c.Name }

// Stream names the stream of the category with the given id.
func (c *Category) Stream(id string) string { return c.Prefix + "-" + id }

// StreamID is the inverse of Stream; it is empty for a stream of another category.
func (c *Category) StreamID(stream string) string {
	id, ok := strings.CutPrefix(stream, c.Prefix+"-")
	if !ok {
		return ""
	}
	return id
}

// Kind is one registered version of one event.
type Kind struct {
	Category *Category
	Name     string // "answered"
	Version  int
	Go       reflect.Type // the struct; nil for versions that only exist as JSON to be lifted
	lift     Upcast       // to Version+1; nil for the newest
}

// Type is the CloudEvents type, parley.<context>.<event>.v<N>.
func (k *Kind) Type() string {
	return "parley." + k.Category.Name + "." + k.Name + ".v" + strconv.Itoa(k.Version)
}

// ErrUnknownType is returned for an event whose type or version this binary does
// not know: it was written by a newer one.
var ErrUnknownType = errors.New("unknown event type or version")

// Aggregate is a category whose streams fold into a state S.
type Aggregate[S any] struct{ *Category }

// NewAggregate declares a category. It is called once per context, as a package
// variable beside the state.
func NewAggregate[S any](name, prefix string, partitions int) *Aggregate[S] {
	return &Aggregate[S]{&Category{Name: name, Prefix: prefix, Partitions: partitions,
		kinds: map[string]*Kind{}, names: map[string]int{}, byGo: map[reflect.Type]*Kind{}}}
}

// Register declares that E is an event of the aggregate: its one registration,
// beside its declaration. lifts are the upcasters of the older versions, oldest
// first: an event at version 3 has two. It panics on a double registration,
// which is a programming error found by the first test that imports the package.
func Register[E Applier[S], S any](a *Aggregate[S], name string, version int, lifts ...Upcast) *Kind {
	return a.register(reflect.TypeFor[E](), name, version, lifts)
}

// register is apart from Register, which is compiled once for each event.
func (c *Category) register(payload reflect.Type, name string, version int, lifts []Upcast) *Kind {
	if version != len(lifts)+1 {
		panic(fmt.Sprintf("event %s.%s: version %d needs %d upcasters, has %d", c.Name, name, version, version-1, len(lifts)))
	}
	if c.names[name] != 0 {
		panic(fmt.Sprintf("event %s.%s is registered twice", c.Name, name))
	}
	for i, lift := range lifts {
		k := &Kind{Category: c, Name: name, Version: i + 1, lift: lift}
		c.kinds[k.Type()] = k
	}
	k := &Kind{Category: c, Name: name, Version: version, Go: payload}
	if other := c.byGo[k.Go]; other != nil {
		panic(fmt.Sprintf("%s is already registered as %s", k.Go, other.Type()))
	}
	c.kinds[k.Type()] = k
	c.names[name] = version
	c.byGo[k.Go] = k
	return k
}

// Fold applies a decoded payload to the state. A payload of another aggregate is
// a programming error and panics.
func (a *Aggregate[S]) Fold(s *S, p Payload) { p.(Applier[S]).Apply(s) }

// State folds payloads from the empty state; tests and replay use it.
func (a *Aggregate[S]) State(history ...Payload) S {
	var s S
	for _, p := range history {
		a.Fold(&s, p)
	}
	return s
}

// KindOf finds the registration of a payload's Go type.
func (c *Category) KindOf(p Payload) (*Kind, error) {
	k := c.byGo[reflect.TypeOf(p)]
	if k == nil {
		return nil, fmt.Errorf("%T is not an event of %s: %w", p, c.Name, ErrUnknownType)
	}
	return k, nil
}

// Newest is the struct that events of a type are read into, whatever their version; nil where
// the type is unknown.
func (c *Category) Newest(ceType string) reflect.Type {
	k := c.kinds[ceType]
	if k == nil {
		return nil
	}
	newest := &Kind{Category: c, Name: k.Name, Version: c.names[k.Name]}
	return c.kinds[newest.Type()].Go
}

// Decode turns a record's type and value into the newest version's struct.
func (c *Category) Decode(ceType string, data []byte) (Payload, error) {
	k := c.kinds[ceType]
	if k == nil {
		return nil, fmt.Errorf("%s on %s: %w", ceType, c.Topic(), ErrUnknownType)
	}
	raw := json.RawMessage(data)
	for k.lift != nil {
		lifted, err := k.lift(raw)
		if err != nil {
			return nil, fmt.Errorf("lifting %s: %w", k.Type(), err)
		}
		raw = lifted
		next := &Kind{Category: c, Name: k.Name, Version: k.Version + 1}
		k = c.kinds[next.Type()]
	}
	v := reflect.New(k.Go)
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", k.Type(), err)
	}
	return v.Elem().Interface(), nil
}

// Kinds lists the newest version of every event, by name.
func (c *Category) Kinds() []*Kind {
	var out []*Kind
	for _, k := range c.byGo {
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
