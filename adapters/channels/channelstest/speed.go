package channelstest

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostBytes is what a request may allocate until it is judged and read.
const mostBytes = 20 << 10

// spares holds of every kind. Time is only told: it is the machine's too. The least of some rounds counts, as others
// allocate meanwhile.
func spares(t T, s Suite) {
	receiver := s.receiver(t)
	for name, said := range s.Inbound.Says {
		r := s.Inbound.Sign(s.Connection, said.Request)
		bytes, took := uint64(1<<62), time.Hour
		for range 5 {
			const times = 20
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			for range times {
				if receiver.Verify(s.Connection, r) == nil {
					_, _ = receiver.Parse(s.Connection, r)
				}
			}
			took = min(took, time.Since(start)/times)
			runtime.ReadMemStats(&after)
			bytes = min(bytes, (after.TotalAlloc-before.TotalAlloc)/times)
		}
		assert.Less(t, bytes, uint64(spared*mostBytes), "%s: bytes that are allocated", name)
		if log, ok := t.(interface {
			Logf(form string, args ...any)
		}); ok {
			log.Logf("%s: %s %s, %d bytes", s.Connection.Kind, name, took, bytes)
		}
	}
}

// Bench measures how long a request of the provider takes to be judged and read, for each thing that the
// suite knows it to say.
func Bench(b *testing.B, s Suite) {
	adapter, err := s.New("")
	require.NoError(b, err)
	receiver, ok := adapter.(Receiver)
	require.True(b, ok, "%T receives nothing", adapter)
	for name, said := range s.Inbound.Says {
		r := s.Inbound.Sign(s.Connection, said.Request)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := receiver.Verify(s.Connection, r); err != nil {
					b.Fatal(err)
				}
				if _, err := receiver.Parse(s.Connection, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
