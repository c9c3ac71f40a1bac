package eventstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Snapshots keeps folded states of long streams. An Index may implement it beside Load;
// streams are then read by LoadFrom.
type Snapshots interface {
	// LoadFrom returns, as of one moment, the newest snapshot of the stream under
	// this key that the index agrees with, and the records behind it, in version
	// order. Without one, data is nil and all records are returned; with one, the
	// first record is the last that the snapshot holds.
	LoadFrom(ctx context.Context, stream, key string) (data []byte, records []*Record, err error)
	// SaveSnapshot keeps a snapshot in place of an older one of the same key.
	SaveSnapshot(ctx context.Context, stream, key string, version int64, commit string, data []byte) error
}

// SnapshotVersioned is implemented by a state whose meaning changed without a change
// of its fields: another number makes the snapshots of before unreadable.
type SnapshotVersioned interface{ SnapshotVersion() int }

const (
	snapshotAfter = 200             // events folded behind the last snapshot make the next one worth it
	snapshotEvery = 1000            // events, of a stream that nobody has to read here
	snapshotLimit = 5 * time.Second // for writing one
	snapshotMost  = 4 << 20         // bytes; a larger state is read from its events
)

// snapshot is the form in which one is kept, as JSON behind the SHA-256 of it.
type snapshot struct {
	State    json.RawMessage            `json:"state"`
	Requests map[string]snapshotRequest `json:"requests,omitempty"` // by request id
	Gone     int64                      `json:"gone,omitempty"`     // see answered
}

type snapshotRequest struct {
	Hash string `json:"hash,omitempty"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// snapshotKey names the form of S: its fields, those within, the events that are
// folded into it, and SnapshotVersion. A binary with another form has another key.
func snapshotKey[S any](agg *event.Aggregate[S]) string {
	t := reflect.TypeFor[S]()
	key := snapshotKeyOf{agg.Category, t}
	if known, ok := snapshotKeys.Load(key); ok {
		return known.(string)
	}
	h := sha256.New()
	structure(h.Write, t, map[reflect.Type]bool{})
	for _, k := range agg.Kinds() {
		fmt.Fprintf(h, "%s %s\n", k.Type(), k.Go)
	}
	h.Write([]byte("requests 2\n")) // of long streams not all
	var zero S
	if v, ok := any(zero).(SnapshotVersioned); ok {
		fmt.Fprintf(h, "version %d\n", v.SnapshotVersion())
	}
	name := hex.EncodeToString(h.Sum(nil)[:16])
	snapshotKeys.Store(key, name)
	return name
}

type snapshotKeyOf struct {
	category *event.Category
	state    reflect.Type
}

var snapshotKeys sync.Map // snapshotKeyOf to string

// structure writes a type down to its basic kinds.
func structure(write func([]byte) (int, error), t reflect.Type, seen map[reflect.Type]bool) {
	put := func(s string) { _, _ = write([]byte(s + ";")) } // a hash never fails
	put(t.String())
	put(t.Kind().String())
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		put(strconv.Itoa(t.NumField()))
		for i := range t.NumField() {
			f := t.Field(i)
			put(f.Name + " " + string(f.Tag))
			structure(write, f.Type, seen)
		}
	case reflect.Map:
		structure(write, t.Key(), seen)
		structure(write, t.Elem(), seen)
	case reflect.Slice, reflect.Pointer, reflect.Array:
		structure(write, t.Elem(), seen)
	}
}

// pack is the snapshot of a state, nil when it would not come back as it is: then
// the stream goes on being read from its events.
func pack[S any](state *S, requests answered) []byte {
	var encoded bytes.Buffer
	enc := json.NewEncoder(&encoded)
	enc.SetEscapeHTML(false) // or raw members would change
	if enc.Encode(state) != nil || encoded.Len() > snapshotMost {
		return nil
	}
	var back S
	if json.Unmarshal(encoded.Bytes(), &back) != nil || !same(reflect.ValueOf(state).Elem(), reflect.ValueOf(&back).Elem()) {
		return nil
	}
	s := snapshot{State: bytes.TrimSpace(encoded.Bytes()), Requests: map[string]snapshotRequest{}, Gone: requests.gone}
	for id, r := range requests.of {
		s.Requests[id] = snapshotRequest{r.hash, r.from, r.to}
	}
	var data bytes.Buffer
	enc = json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return nil
	}
	sum := sha256.Sum256(data.Bytes())
	return append(sum[:], data.Bytes()...)
}

// unpack is the way back. Anything that is not whole is refused.
func unpack[S any](data []byte) (state S, requests answered, err error) {
	if len(data) < sha256.Size {
		return state, requests, errors.New("reading a snapshot: it is cut short")
	}
	if sum := sha256.Sum256(data[sha256.Size:]); !bytes.Equal(sum[:], data[:sha256.Size]) {
		return state, requests, errors.New("reading a snapshot: its bytes have changed")
	}
	var s snapshot
	if err := json.Unmarshal(data[sha256.Size:], &s); err != nil {
		return state, requests, fmt.Errorf("reading a snapshot: %w", err)
	}
	if err := json.Unmarshal(s.State, &state); err != nil {
		return state, requests, fmt.Errorf("reading a snapshot: %w", err)
	}
	requests = answered{of: make(map[string]*request, len(s.Requests)), gone: s.Gone}
	for id, r := range s.Requests {
		requests.of[id] = &request{hash: r.Hash, from: r.From, to: r.To}
	}
	return state, requests, nil
}

// same compares two states, fields that JSON does not see included. A nil slice or
// map is as good as an empty one, and times are compared as instants.
func same(a, b reflect.Value) bool {
	if a.Type() == reflect.TypeFor[time.Time]() && a.CanInterface() {
		return a.Interface().(time.Time).Equal(b.Interface().(time.Time))
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return sameMaps(a, b)
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && same(a.Elem(), b.Elem())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return a.IsNil() && b.IsNil()
	default:
		return a.Equal(b)
	}
}

func sameMaps(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for _, k := range a.MapKeys() {
		if v := b.MapIndex(k); !v.IsValid() || !same(a.MapIndex(k), v) {
			return false
		}
	}
	return true
}
