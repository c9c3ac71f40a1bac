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

var known sync.Map // reflect.Type to *marks

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
