package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// BenchmarkExecute is what the store itself costs: on a log in memory there is no other
// cost but that of the records.
func BenchmarkExecute(b *testing.B) {
	run := func(stream func(i int) string, cmd eventstore.Command) func(b *testing.B) {
		return func(b *testing.B) {
			s := memory.New().Open(eventstore.Config{Node: "a"})
			defer s.Close()
			for i := range b.N {
				_, err := eventstore.Execute(b.Context(), s, tallies, stream(i), cmd, add(1))
				require.NoError(b, err)
			}
		}
	}
	created := plain
	created.New = true
	b.Run("new streams", run(func(i int) string { return fmt.Sprint("tally-", i) }, created))
	b.Run("one stream", run(func(int) string { return "tally-1" }, plain))
}
