package node

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest"
)

// Given a storage of files that takes connections and says nothing, when /readyz is asked, then Kafka and Postgres are found to
// answer: the node goes on serving.
func TestAPartThatHangsTakesNoTimeOfTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		blobs := func(ctx context.Context) rest.Part {
			<-ctx.Done()
			return rest.Part{Name: "blobs", Ready: true, Degraded: true}
		}
		kafka := func(ctx context.Context) rest.Part {
			return answering(ctx, "kafka", func(ctx context.Context) error { return ctx.Err() })
		}
		require.Equal(t, []rest.Part{{Name: "blobs", Ready: true, Degraded: true}, {Name: "kafka", Ready: true}},
			askAll(t.Context(), blobs, kafka))
	})
}
