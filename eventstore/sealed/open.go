package sealed

import (
	"iter"
	"reflect"
)

// Members are what is sealed in the JSON of one event, and where it stands there.
type Members struct {
	data []byte
	all  []member
}

// member is data[from:to].
type member struct {
	sealing
	from, to int
}

// In finds what is sealed in an event's JSON, as the tags of its type say. What is only
// spelled like a sealed member, and JSON that breaks off, has none: who decodes it says so.
func In(data []byte, t reflect.Type) Members {
	m := marksOf(t)
	if m == nil {
		return Members{data: data}
	}
	in := Members{data: data}
	e := editor{scanner: scanner{in: data}, own: noKey, side: noKeyOf}
	e.edit = func(from, to int, _ keyOf) ([]byte, error) {
		if data[from] != '"' {
			return nil, nil
		}
		if s, ok := parse(data[from+1 : to-1]); ok {
			if in.all == nil {
				in.all = make([]member, 0, 4)
			}
			in.all = append(in.all, member{s, from, to})
		}
		return nil, nil
	}
	if _, err := e.run(m, nil); err != nil {
		in.all = nil
	}
	return in
}

func noKey() keyOf { return nil }

func noKeyOf(string) keyOf { return nil }

// IDs are the keys that they name, each as often as they do.
func (m Members) IDs() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for _, one := range m.all {
			if !yield(one.key) {
				return
			}
		}
	}
}

// Open is the JSON with them opened. find gives the key of an id, nil when it is gone: Erased
// stands in the place of its strings then, and null in that of other JSON.
func (m Members) Open(event string, find func(ID) *Key) []byte {
	var with ciphers
	return m.replace(func(s sealing) []byte {
		key := find(s.key)
		if key == nil {
			return s.instead(Erased)
		}
		if value, err := with.open(*key, s, event); err == nil {
			return value
		}
		return nil
	})
}

// replace puts something in the place of each; nil leaves it.
func (m Members) replace(with func(sealing) []byte) []byte {
	var out []byte
	done := 0
	for _, one := range m.all {
		instead := with(one.sealing)
		if instead == nil {
			continue
		}
		if out == nil {
			out = make([]byte, 0, len(m.data))
		}
		out = append(append(out, m.data[done:one.from]...), instead...)
		done = one.to
	}
	if out == nil {
		return m.data
	}
	return append(out, m.data[done:]...)
}

// Open opens what is sealed in an event's JSON, as Members.Open does.
func Open(data []byte, t reflect.Type, event string, find func(ID) *Key) []byte {
	return In(data, t).Open(event, find)
}

// Shut is an event's JSON for somebody who may not see what is sealed in it.
func Shut(data []byte, t reflect.Type) []byte {
	return In(data, t).replace(func(s sealing) []byte { return s.instead(Closed) })
}

// ShutOthers is Shut of what is sealed with other keys than these.
func ShutOthers(data []byte, t reflect.Type, these func(ID) bool) []byte {
	return In(data, t).replace(func(s sealing) []byte {
		if these(s.key) {
			return nil
		}
		return s.instead(Closed)
	})
}

// IDs are the keys that the personal members of an event name, each as often as they do.
func IDs(data []byte, t reflect.Type) iter.Seq[ID] { return In(data, t).IDs() }
