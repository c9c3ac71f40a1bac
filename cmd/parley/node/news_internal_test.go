package node

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
)

func TestNewsIsToldWhereNobodyElseProjects(t *testing.T) {
	told := 0
	cfg := Config{Seen: func([]*eventstore.Record) { told++ }, DatabaseURL: "postgres://of-somebody"}
	shared := &Node{cfg: cfg}
	shared.seen()(nil)
	require.Nil(t, shared.timerNews, "others set timers too, and do not say so")
	require.Nil(t, shared.analyticsNews)

	alone := &Node{cfg: cfg, embeddedTables: true}
	seen := alone.seen()
	seen(nil)
	seen(nil) // one piece of news is enough
	require.Len(t, alone.timerNews, 1)
	require.Len(t, alone.analyticsNews, 1)
	require.Equal(t, 3, told, "and who was told before is told")
}
