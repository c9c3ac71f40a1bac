package sealed

import (
	"fmt"
	"reflect"
)

// Keys gives the keys that an event is sealed with.
type Keys interface {
	// OfStream is the key of the stream.
	OfStream() (Key, error)
	// Own is a key that nothing was sealed with yet: of somebody else who stands in the
	// stream, such as a contact of a list.
	Own() (Key, error)
}

// Seal seals the personal members of an event's JSON, as the tags of its type say; nil when
// there is nothing to seal. An empty string and null stay: they say nothing.
func Seal(data []byte, t reflect.Type, event string, keys Keys) ([]byte, error) {
	m := marksOf(t)
	if m == nil {
		return nil, nil
	}
	sides := map[string]keyOf{}
	e := editor{scanner: scanner{in: data}}
	e.own = func() keyOf { return once(keys.Own) }
	e.side = func(whose string) keyOf {
		if sides[whose] == nil {
			sides[whose] = e.own()
		}
		return sides[whose]
	}
	var with ciphers
	e.edit = func(from, to int, key keyOf) ([]byte, error) {
		value := data[from:to]
		if text := string(value); text == `""` || text == "null" {
			return nil, nil
		}
		k, err := key()
		if err != nil {
			return nil, fmt.Errorf("a key to seal with: %w", err)
		}
		return with.text(k, value, event), nil
	}
	return e.run(m, keys.OfStream)
}

// once asks for a key at its first use.
func once(give keyOf) keyOf {
	var key Key
	var given bool
	return func() (Key, error) {
		if given {
			return key, nil
		}
		var err error
		key, err = give()
		given = err == nil
		return key, err
	}
}
