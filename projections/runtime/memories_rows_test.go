package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/memories"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given the events of a store, then these are the rows after each; none holds what is in it.
func TestRowsOfMemories(t *testing.T) {
	model := given.Open(t).Follow(runtime.MemoriesModel)
	first := given.Filled(func(e *memories.Written) { e.Version, e.Bytes = 1, 10 })
	row := "+ memories stream_id=m tenant=tenantId project_id=projectId scope=scope owner_id=ownerId store=store version=1 bytes=10 " +
		"written_at=" + first.At.Format(time.TimeOnly) + " expires_at=" + first.ExpiresAt.Format(time.TimeOnly)
	model.After("m", first, row)
	model.After("m", given.Filled(func(e *memories.Written) { e.Version, e.Bytes, e.At, e.ExpiresAt = 2, 20, first.At, time.Time{} }),
		"~ memories stream_id=m: version=2 bytes=20 expires_at=")
	model.After("m", given.Filled[memories.Deleted](), "- memories stream_id=m")
	model.After("m", first, row)
	model.After("m", given.Filled[memories.Erased](), "- memories stream_id=m")
}

// Given stores of several owners, then those of each are counted.
func TestStoresAreCountedByOwner(t *testing.T) {
	w := given.Open(t)
	write := func(stream string, of memories.Name) {
		w.Given(runtime.MemoriesModel, stream, given.Filled(func(e *memories.Written) {
			e.TenantID, e.ProjectID, e.Scope, e.OwnerID, e.Store = of.TenantID, of.ProjectID, of.Scope, of.OwnerID, stream
		}))
	}
	one := memories.Name{TenantID: "acme", ProjectID: "shop", Scope: memories.OfSession, OwnerID: "s-1"}
	write("m-1", one)
	write("m-2", one)
	x, n := runtime.NewMemories(w.DB), 2
	for _, edit := range []func(*memories.Name){
		func(n *memories.Name) { n.TenantID = "other" }, func(n *memories.Name) { n.ProjectID = "other" },
		func(n *memories.Name) { n.Scope = memories.OfContact }, func(n *memories.Name) { n.OwnerID = "s-2" },
	} {
		other := one
		edit(&other)
		count, err := x.Count(t.Context(), other, time.Time{})
		require.NoError(t, err)
		require.Zero(t, count)
		n++
		write("m-"+string(rune('0'+n)), other)
	}
	count, err := x.Count(t.Context(), one, time.Time{})
	require.NoError(t, err)
	require.Equal(t, 2, count)
}
