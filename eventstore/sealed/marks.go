package sealed

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"time"
)

// marks says what is personal in a value of some type. nil: nothing is.
type marks struct {
	whose   string            // set: the whole value is sealed
	own     bool              // what stands in it has a key of its own, not that of the stream
	members map[string]*marks // of an object, by name
	each    *marks            // of a list, or of an object that is a map
}

var (
	known  sync.Map // reflect.Type to *marks
	owning sync.Map // reflect.Type to bool
)

// HasOwn reports whether something in an event of the type is sealed with another key than
// that of its stream.
func HasOwn(t reflect.Type) bool {
	if own, ok := owning.Load(t); ok {
		return own.(bool)
	}
	own := marksOf(t).owns(map[*marks]bool{})
	owning.Store(t, own)
	return own
}

// owns reports whether there is a key of somebody's own in it. What stands in itself is
// looked at once.
func (m *marks) owns(seen map[*marks]bool) bool {
	if m == nil || seen[m] {
		return false
	}
	seen[m] = true
	if m.own || m.each.owns(seen) {
		return true
	}
	for _, member := range m.members {
		if member.owns(seen) {
			return true
		}
	}
	return false
}

// marksOf reads the tags of an event's type: personal:"callee" seals a member, key:"own"
// gives it, or each element of a list, a key of its own.
func marksOf(t reflect.Type) *marks {
	if m, ok := known.Load(t); ok {
		return m.(*marks)
	}
	m := marksIn(t, map[reflect.Type]*marks{})
	known.Store(t, m)
	return m
}

// marksIn is nil where nothing is marked. A type that stands in itself has marks that do.
func marksIn(t reflect.Type, within map[reflect.Type]*marks) *marks {
	switch t.Kind() {
	case reflect.Pointer:
		return marksIn(t.Elem(), within)
	case reflect.Slice, reflect.Array, reflect.Map:
		if t == reflect.TypeFor[json.RawMessage]() {
			return nil
		}
		if each := marksIn(t.Elem(), within); each != nil {
			return &marks{each: each}
		}
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return nil
		}
		if m := within[t]; m != nil {
			return m
		}
		m := &marks{members: map[string]*marks{}}
		within[t] = m
		defer delete(within, t)
		m.addFields(t, within)
		if len(m.members) > 0 {
			return m
		}
	}
	return nil
}

func (m *marks) addFields(t reflect.Type, within map[reflect.Type]*marks) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		own := f.Tag.Get("key") == "own"
		switch whose := f.Tag.Get("personal"); {
		case name == "-":
		case f.Anonymous && name == "":
			if inner := marksIn(f.Type, within); inner != nil {
				for name, member := range inner.members {
					m.members[name] = member
				}
			}
		case whose != "":
			m.members[name] = &marks{whose: whose, own: own}
		default:
			if inner := marksIn(f.Type, within); inner != nil {
				m.members[name] = inner.owned(own)
			}
		}
	}
}

// owned puts the mark of a container where the person is: on each element of a list, else
// on the value itself.
func (m *marks) owned(own bool) *marks {
	switch {
	case !own:
	case m.each != nil:
		m.each.own = true
	default:
		m.own = true
	}
	return m
}
