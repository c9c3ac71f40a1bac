package memories

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Change puts members into what is in a store, and leaves the others as they are. A member that is
// not any more what the writer has read is not written over; written again it is as it is wanted
// already. So a change that was made may be made again.
type Change struct {
	Name   Name
	Set    []Member
	TTL    time.Duration // 0: what is in the store does not expire
	Stores int           // that the owner has
	By     By
	At     time.Time
}

// Member is one place in a store.
type Member struct {
	Path  string          // names with points between them
	Was   json.RawMessage // what the writer has read there; empty: nothing
	Value json.RawMessage // empty or null: nothing is there from now on
}

// Decide writes what may be written.
func (c Change) Decide(s State) ([]event.Payload, error) {
	content, changed := s.at(c.At), false
	for _, m := range c.Set {
		is := At(content, m.Path)
		if Same(is, m.Value) || !Same(is, m.Was) {
			continue
		}
		content, changed = With(content, m.Path, m.Value), true
	}
	if !changed {
		return nil, nil
	}
	clean, err := Clean(content)
	if err != nil {
		return nil, err
	}
	return Write{Name: c.Name, Content: clean, TTL: c.TTL, Stores: c.Stores, By: c.By, At: c.At}.Decide(s)
}

// Refused are the members that are not what they should have become.
func (c Change) Refused(s State) (paths []string) {
	for _, m := range c.Set {
		if !Same(At(s.at(c.At), m.Path), m.Value) {
			paths = append(paths, m.Path)
		}
	}
	return paths
}

// at is what is in the store at a time, as an object.
func (s State) at(now time.Time) json.RawMessage {
	if content := s.Held(now); len(content) > 0 {
		return content
	}
	return json.RawMessage("{}")
}

// Held is what is in the store at a time; empty: nothing, or it has expired.
func (s State) Held(now time.Time) json.RawMessage {
	if !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt) {
		return nil
	}
	return s.Content
}

// At is the value at a path in an object; empty: there is none.
func At(object json.RawMessage, path string) json.RawMessage {
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(object, &members) != nil {
			return nil
		}
		object = members[name]
	}
	if string(bytes.TrimSpace(object)) == "null" {
		return nil
	}
	return object
}

// With is an object with a value at a path in it; what is no object on the way becomes one. null
// takes away what is there.
func With(object json.RawMessage, path string, value json.RawMessage) json.RawMessage {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(object, &members) // what is no object is replaced
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	name, below, deep := strings.Cut(path, ".")
	if deep {
		value = With(members[name], below, value)
	}
	if len(value) == 0 || string(value) == "null" {
		delete(members, name)
	} else {
		members[name] = value
	}
	out, err := json.Marshal(members)
	if err != nil {
		return object
	}
	return out
}

// Same is whether two values mean the same; nothing and null do.
func Same(a, b json.RawMessage) bool { return reflect.DeepEqual(meant(a), meant(b)) }

func meant(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v) // what is not there is nothing
	return counted(v)
}

// counted has numbers in place of their texts: 1 and 1.0 are one. Ids, which would lose digits by that, stay whole, as they do in
// expressions: two of them may be next to each other.
func counted(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil && (n > 1<<53 || n < -1<<53) {
			return n
		}
		f, _ := v.Float64()
		return f
	case map[string]any:
		for name, x := range v {
			v[name] = counted(x)
		}
	case []any:
		for i, x := range v {
			v[i] = counted(x)
		}
	}
	return v
}

// expects refuses a version that is not the store's any more; nil: none was named.
func (s State) expects(version *int) error {
	if version != nil && *version != s.Version {
		return fault.New(fault.Conflict, "the store has version %d, not %d: read it again", s.Version, *version)
	}
	return nil
}
