package projections_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections"
)

// Where the database is, and whom it knows, is told to nobody who asks how the node is; what it says itself is.
func TestNobodyIsToldWhereTheDatabaseIs(t *testing.T) {
	_, away := pgconn.Connect(t.Context(), "postgres://somebody@127.0.0.1:1/parley?connect_timeout=1")
	require.ErrorContains(t, away, "somebody")
	require.Equal(t, "the database does not answer", projections.Plainly(fmt.Errorf("renewing leases: %w", away)))
	require.Equal(t, "no table", projections.Plainly(errors.New("no table")))
}
