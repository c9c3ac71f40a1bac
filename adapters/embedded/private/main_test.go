package private

import (
	"testing"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// The tests of this package kill processes that run a server.
func TestMain(m *testing.M) {
	childtest.Main(m, childtest.Roles{"write to tables": writeUntilKilled, "load Postgres": loadUntilKilled})
}
