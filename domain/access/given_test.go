package access_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// decide is given a history, when a command, then what it gives.
func decide[S any](a *event.Aggregate[S], history []event.Payload, c interface {
	Decide(S) ([]event.Payload, error)
}) ([]event.Payload, error) {
	return c.Decide(a.State(history...))
}

// refused asserts the code and the fields of a refusal.
func refused(t *testing.T, err error, code fault.Code, fields ...string) {
	t.Helper()
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code, e.Message)
	var got []string
	for _, d := range e.Details {
		got = append(got, d.Field)
	}
	require.Equal(t, fields, got, e.Message)
}

func isFault(err error) bool {
	var e *fault.Error
	return errors.As(err, &e)
}

// after is a history with more events, the first untouched.
func after(history []event.Payload, more ...event.Payload) []event.Payload {
	return append(slices.Clone(history), more...)
}

func long(n int) string { return strings.Repeat("x", n) }

var (
	tenant  = access.TenantDefined{TenantID: "acct", Name: "Acme", OrgID: "org"}
	project = access.ProjectDefined{TenantID: "acct", ProjectID: "shop", Name: "Shop", Slug: "shop",
		Aliases: []string{"st-1", "st-2"}, WebhookSecret: "sealed-1", SecretFingerprint: "f1"}
	withTenant  = []event.Payload{tenant}
	withProject = []event.Payload{tenant, project}
)
