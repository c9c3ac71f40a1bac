package embedded

import (
	"testing"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// The tests of this package kill brokers.
func TestMain(m *testing.M) {
	childtest.Main(m, childtest.Roles{"produce": produceUntilKilled, "fill and wait": fillAndWait, "fill and stop": fillAndStop})
}
