package eventtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
)

type lamp struct{ On bool }

var lamps = event.NewAggregate[lamp]("lamps", "lamp", event.Quiet)

type lit struct {
	Watts int `json:"watts"`
}

func (lit) Apply(l *lamp) { l.On = true }

var _ = event.Register[lit](lamps, "lit", 1)

func TestGoldenWritesAMissingFileAndThenHoldsToIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "events")
	t.Setenv("UPDATE_GOLDEN", "1")
	eventtest.Golden(t, lamps.Category, dir, lit{Watts: 5}, lit{Watts: 7})
	t.Setenv("UPDATE_GOLDEN", "")
	eventtest.Golden(t, lamps.Category, dir, lit{Watts: 5})

	written, err := os.ReadFile(filepath.Join(dir, "lit.v1.json"))
	require.NoError(t, err)
	require.JSONEq(t, `{"watts":5}`, string(written))
}
