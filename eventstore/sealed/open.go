package sealed

import (
	"iter"
	"reflect"
)

// Open opens what is sealed in an event's JSON. find gives the key of an id, nil when it is
// gone: Erased stands in the place of its strings then, and null in that of other JSON. What
// is only spelled like a sealed member stays as it is.
func Open(data []byte, t reflect.Type, event string, find func(ID) *Key) []byte {
	return replace(data, t, func(s sealing) []byte {
		key := find(s.key)
		if key == nil {
			return s.instead(Erased)
		}
		if value, err := key.open(s, event); err == nil {
			return value
		}
		return nil
	})
}

// Shut is an event's JSON for somebody who may not see what is sealed in it.
func Shut(data []byte, t reflect.Type) []byte {
	return replace(data, t, func(s sealing) []byte { return s.instead(Closed) })
}

// ShutOthers is Shut of what is sealed with other keys than these.
func ShutOthers(data []byte, t reflect.Type, these func(ID) bool) []byte {
	return replace(data, t, func(s sealing) []byte {
		if these(s.key) {
			return nil
		}
		return s.instead(Closed)
	})
}

// IDs are the keys that the personal members of an event name, each as often as they do.
func IDs(data []byte, t reflect.Type) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		more := true
		replace(data, t, func(s sealing) []byte {
			more = more && yield(s.key)
			return nil
		})
	}
}

// replace puts something in the place of each sealed member; nil leaves it. JSON that breaks
// off is given back as it is: who decodes it says so.
func replace(data []byte, t reflect.Type, with func(sealing) []byte) []byte {
	m := marksOf(t)
	if m == nil {
		return data
	}
	none := func() keyOf { return nil }
	e := editor{scanner: scanner{in: data}, own: none, side: func(string) keyOf { return nil }}
	e.edit = func(value []byte, _ keyOf) ([]byte, error) {
		if value[0] != '"' {
			return nil, nil
		}
		if s, ok := parse(string(value[1 : len(value)-1])); ok {
			return with(s), nil
		}
		return nil, nil
	}
	if out, err := e.run(m, nil); err == nil && out != nil {
		return out
	}
	return data
}
