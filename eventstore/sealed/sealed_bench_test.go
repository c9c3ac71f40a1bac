package sealed_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// FuzzOpen: whatever JSON stands on the log, what is opened or shut of it is JSON again; and
// what was sealed opens to the very bytes that it was.
func FuzzOpen(f *testing.F) {
	f.Add((&ring{}).seal(f, encoded(f, whole)))
	f.Add([]byte(`{"target":"~1.AAAAAAAAAAAAAAAAAAAAAA.AAAA","context":{"\"~1":[" \\",1e3]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			t.Skip()
		}
		ring := &ring{}
		ring.open(t, data)
		if shut := sealed.Shut(data, reflect.TypeFor[opened]()); !json.Valid(shut) {
			t.Fatalf("shut: %s", shut)
		}
		if opened := ring.open(t, ring.seal(t, data)); !bytes.Equal(opened, data) {
			t.Fatalf("%s became %s", data, opened)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	ring, data := &ring{}, encoded(b, opened{ID: "7", Target: "tel:+15550000001", Context: json.RawMessage(`{"order":"A-17","tier":"gold"}`)})
	b.ReportAllocs()
	for b.Loop() {
		ring.seal(b, data)
	}
}

func BenchmarkOpen(b *testing.B) {
	ring := &ring{}
	closed := ring.seal(b, encoded(b, opened{ID: "7", Target: "tel:+15550000001", Context: json.RawMessage(`{"order":"A-17","tier":"gold"}`)}))
	b.ReportAllocs()
	for b.Loop() {
		ring.open(b, closed)
	}
}
