package acts_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/actstest"
)

// errNotOpened is what a vault says that has another keyset.
var errNotOpened = errors.New("cannot be opened")

// opening opens what was sealed for the one whom a secret belongs to.
func opening(w *actstest.World) acts.ToolSecrets {
	return acts.ToolSecrets{Log: w.Acting(), Unseal: func(tenant, project, id, sealed string) (string, error) {
		value, ok := strings.CutPrefix(sealed, "sealed for "+tenant+" "+project+" "+id+" ")
		if !ok {
			return "", errNotOpened
		}
		return value, nil
	}}
}

// put gives a tool a secret that lasts until actstest.Noon and a while, or for ever.
func put(w *actstest.World, name secrets.Name, id, value string, lasts time.Duration, more ...event.Payload) {
	w.Helper()
	var until *time.Time
	if lasts > 0 {
		at := actstest.Noon.Add(lasts)
		until = &at
	}
	actstest.Given(w, secrets.Secrets, name.Stream(w.Acting().MAC), append([]event.Payload{secrets.Created{TenantID: name.TenantID,
		ProjectID: name.ProjectID, SecretID: id, ToolName: name.ToolName, SecretKey: name.SecretKey, Environment: name.Environment,
		Value: "sealed for " + name.TenantID + " " + name.ProjectID + " " + id + " " + value, Version: 1, ExpiresAt: until,
		At: actstest.Noon.Add(-time.Hour)}}, more...)...)
}

func named(key, environment string) secrets.Name {
	return secrets.Name{TenantID: "acme", ProjectID: "shop", ToolName: "find", SecretKey: key, Environment: environment}
}

func TestTheSecretsOfAToolAreThoseOfItsEnvironment(t *testing.T) {
	w := actstest.New(t)
	put(w, named("TOKEN", "production"), "ts-1", "p-1", 0, secrets.Changed{TenantID: "acme", ProjectID: "shop", SecretID: "ts-1",
		Value: "sealed for acme shop ts-1 p-2", Version: 2, At: actstest.Noon.Add(-time.Minute)})
	put(w, named("TOKEN", "dev"), "ts-2", "d-1", time.Second)
	put(w, named("CODE", "production"), "ts-3", "s3cret", 0)
	x := opening(w)

	got, err := x.Open(t.Context(), "acme", "shop", "production", "find", []string{"CODE", "TOKEN"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"CODE": "s3cret", "TOKEN": "p-2"}, got, "the newest values")
	got, err = x.Open(t.Context(), "acme", "shop", "", "find", []string{"TOKEN"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"TOKEN": "d-1"}, got, "dev where no deployment says another")
	got, err = x.Open(t.Context(), "acme", "shop", "staging", "find", nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestASecretThatIsNotThereIsNamed(t *testing.T) {
	w := actstest.New(t)
	put(w, named("TOKEN", "dev"), "ts-1", "s3cret", 0)
	put(w, named("OVER", "dev"), "ts-2", "s3cret", time.Nanosecond)
	put(w, named("GONE", "dev"), "ts-3", "s3cret", 0, secrets.Deleted{TenantID: "acme", ProjectID: "shop", SecretID: "ts-3",
		At: actstest.Noon})
	x := opening(w)
	x.Now = func() time.Time { return actstest.Noon.Add(time.Nanosecond) }
	for name, c := range map[string]struct {
		tenant, project, environment, tool, key string
		expired                                 bool
	}{
		"never made":             {"acme", "shop", "dev", "find", "NONE", false},
		"taken away":             {"acme", "shop", "dev", "find", "GONE", false},
		"expired":                {"acme", "shop", "dev", "find", "OVER", true},
		"of another environment": {"acme", "shop", "staging", "find", "TOKEN", false},
		"of an unknown one":      {"acme", "shop", "moon", "find", "TOKEN", false},
		"of another tool":        {"acme", "shop", "dev", "lose", "TOKEN", false},
		"of another project":     {"acme", "bar", "dev", "find", "TOKEN", false},
		"of another account":     {"umbrella", "shop", "dev", "find", "TOKEN", false},
	} {
		got, err := x.Open(t.Context(), c.tenant, c.project, c.environment, c.tool, []string{c.key})
		require.Nil(t, got, name)
		var missing *acts.SecretMissing
		require.ErrorAs(t, err, &missing, name)
		require.Equal(t, acts.SecretMissing{Tool: c.tool, Key: c.key, Environment: c.environment, Expired: c.expired}, *missing, name)
		require.ErrorContains(t, err, acts.CodeSecretMissing, name)
		require.ErrorContains(t, err, c.key, name)
		require.NotContains(t, err.Error(), "s3cret", name)
	}
	_, err := x.Open(t.Context(), "acme", "shop", "dev", "find", []string{"TOKEN", "NONE"})
	require.ErrorContains(t, err, "NONE", "all or nothing")
}

// A vault that does not open is no missing secret: nobody mends it by giving another value.
func TestASecretThatCannotBeOpenedIsNotMissing(t *testing.T) {
	w := actstest.New(t)
	put(w, named("TOKEN", "dev"), "ts-1", "s3cret", 0)
	x := opening(w)
	x.Unseal = func(string, string, string, string) (string, error) { return "", errNotOpened }
	var missing *acts.SecretMissing
	_, err := x.Open(t.Context(), "acme", "shop", "dev", "find", []string{"TOKEN"})
	require.ErrorIs(t, err, errNotOpened)
	require.NotErrorAs(t, err, &missing)
	require.NotContains(t, err.Error(), "sealed")
}
