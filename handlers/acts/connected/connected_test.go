package connected_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts/connected"
	models "github.com/parley-platform/parley/projections/channels"
)

// stored are connections by their ids, all of one kind.
type stored []models.Connection

func (s stored) WithID(_ context.Context, _, id string) (models.Connection, bool, error) {
	for _, c := range s {
		if c.ConnectionID == id {
			return c, true, nil
		}
	}
	return models.Connection{}, false, nil
}

func (s stored) Taking(ctx context.Context, tenant, id string) (models.Connection, bool, error) {
	return s.WithID(ctx, tenant, id)
}

func (s stored) Named(_ context.Context, _ string, names []string) (out []models.Connection, err error) {
	for _, c := range s {
		if len(names) == 0 || names[0] == c.External {
			out = append(out, c)
		}
	}
	return out, nil
}

func (s stored) Door(_ context.Context, _, _, _, external string) (models.Connection, bool, error) {
	for _, c := range s {
		if c.External == external {
			return c, true, nil
		}
	}
	return models.Connection{}, false, nil
}

func (s stored) List(context.Context, models.ConnectionQuery) ([]models.Connection, int, error) {
	return s, len(s), nil
}

// Given connections of which one cannot be opened, when a request may be for any of them, then the
// others are there; who asks for that one alone is told.
func TestAConnectionThatCannotBeOpenedIsNobodyElsesFault(t *testing.T) {
	one := func(id, sealed string) models.Connection {
		return models.Connection{ConnectionID: id, External: "ext-" + id, Active: true, Credentials: map[string]string{"token": sealed}}
	}
	x := connected.Connections{Rows: stored{one("a", "good"), one("b", "broken"), one("c", "good")},
		Open: func(_, _, _, sealed string) (string, error) {
			if sealed == "broken" {
				return "", errors.New("the key is gone")
			}
			return "hush", nil
		}}
	all, err := x.Named(t.Context(), "slack", nil)
	require.NoError(t, err)
	require.Len(t, all, 2)
	all, err = x.Of(t.Context(), "acme", "a-1", "slack")
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "hush", all[1].Credentials.Reveal("token"))
	for name, ask := range map[string]func() error{
		"its path": func() error { _, err := x.At(t.Context(), "slack", "ext-b"); return err },
		"its id":   func() error { _, err := x.WithID(t.Context(), "acme", "b"); return err },
	} {
		require.ErrorContains(t, ask(), "the key is gone", name)
	}
	_, err = x.At(t.Context(), "slack", "ext-none")
	require.True(t, fault.Is(err, fault.NotFound))
	_, err = x.WithID(t.Context(), "acme", "none")
	require.True(t, fault.Is(err, fault.NotFound))
	got, err := x.At(t.Context(), "slack", "ext-c")
	require.NoError(t, err)
	require.Equal(t, "c", got.ID)
}
