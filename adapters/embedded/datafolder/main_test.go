package datafolder

import (
	"testing"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// The tests of this package kill who holds a lock.
func TestMain(m *testing.M) { childtest.Main(m, childtest.Roles{"hold the lock": holdLock}) }
