package secrets_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/secrets"
)

var (
	now     = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	later   = now.Add(time.Hour)
	name    = secrets.Name{TenantID: "acme", ProjectID: "shop", ToolName: "find customer", SecretKey: "CRM_TOKEN", Environment: "dev"}
	create  = secrets.Create{Name: name, SecretID: "ts-1", Value: "sealed:v1:a", ExpiresAt: &later, At: now}
	created = secrets.Created{TenantID: "acme", ProjectID: "shop", SecretID: "ts-1", ToolName: "find customer", SecretKey: "CRM_TOKEN",
		Environment: "dev", Value: "sealed:v1:a", Version: 1, ExpiresAt: &later, At: now}
	changed = secrets.Changed{TenantID: "acme", ProjectID: "shop", SecretID: "ts-1", Value: "sealed:v1:b", Version: 2, At: now}
	deleted = secrets.Deleted{TenantID: "acme", ProjectID: "shop", SecretID: "ts-1", At: now}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, secrets.Secrets.Category, "testdata/events", created, changed, deleted)
}

func TestASecretIsCreatedChangedAndDeleted(t *testing.T) {
	change := secrets.Change{TenantID: "acme", ProjectID: "shop", SecretID: "ts-1", Value: "sealed:v1:b", At: now}
	remove := secrets.Delete{TenantID: "acme", ProjectID: "shop", SecretID: "ts-1", At: now}
	for name, c := range map[string]struct {
		given  []event.Payload
		decide func(secrets.State) ([]event.Payload, error)
		want   event.Payload
		code   fault.Code
	}{
		"created":             {nil, create.Decide, created, ""},
		"taken":               {[]event.Payload{created}, create.Decide, nil, fault.Conflict},
		"free again":          {[]event.Payload{created, changed, deleted}, create.Decide, created, ""},
		"changed":             {[]event.Payload{created}, change.Decide, changed, ""},
		"nothing to change":   {nil, change.Decide, nil, fault.NotFound},
		"changed too late":    {[]event.Payload{created, deleted}, change.Decide, nil, fault.NotFound},
		"deleted":             {[]event.Payload{created}, remove.Decide, deleted, ""},
		"deleted twice":       {[]event.Payload{created, deleted}, remove.Decide, nil, fault.NotFound},
		"another of the name": {[]event.Payload{another()}, remove.Decide, nil, fault.NotFound},
	} {
		got, err := c.decide(secrets.Secrets.State(c.given...))
		if c.code != "" {
			require.True(t, fault.Is(err, c.code), name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, []event.Payload{c.want}, got, name)
	}
}

// One that has expired still has its name: who is refused is told so, and how to go on.
func TestATakenNameSaysHowToGoOn(t *testing.T) {
	for at, state := range map[time.Time]string{now: "already:", later: "already, which has expired:"} {
		again := create
		again.At, again.ExpiresAt = at, nil
		_, err := again.Decide(secrets.Secrets.State(created))
		require.EqualError(t, err, "CONFLICT: the tool has a secret of that key in this environment "+state+
			" give ts-1 another value (change-tool-secret, PUT /api/tool-secrets/ts-1), or delete it first")
	}
}

// What a tool is let in by: the newest value, while its time lasts.
func TestWhichValueIsGood(t *testing.T) {
	for name, c := range map[string]struct {
		given []event.Payload
		at    time.Time
		value string
		good  bool
	}{
		"none":                      {nil, now, "", false},
		"the first":                 {[]event.Payload{created}, now, "sealed:v1:a", true},
		"at the end of its time":    {[]event.Payload{created}, later, "sealed:v1:a", false},
		"the next, without an end":  {[]event.Payload{created, changed}, later.AddDate(10, 0, 0), "sealed:v1:b", true},
		"deleted":                   {[]event.Payload{created, changed, deleted}, now, "", false},
		"made again, as it was not": {[]event.Payload{created, changed, deleted, created}, now, "sealed:v1:a", true},
	} {
		s := secrets.Secrets.State(c.given...)
		require.Equal(t, c.value, s.Value, name)
		require.Equal(t, c.good, s.Good(c.at), name)
	}
}

// another is a secret that was made under the name of one that was deleted.
func another() secrets.Created {
	e := created
	e.SecretID = "ts-2"
	return e
}

func TestASecretCannotHaveExpiredAlready(t *testing.T) {
	old := create
	old.ExpiresAt = &now
	_, err := old.Decide(secrets.State{})
	require.Equal(t, []string{"expiresAt"}, faulttest.Fields(t, err))
	_, err = secrets.Change{SecretID: "ts-1", ExpiresAt: &now, At: now}.Decide(secrets.Secrets.State(created))
	require.Equal(t, []string{"expiresAt"}, faulttest.Fields(t, err))
}

func TestASecretExpiresInAYearThatCanBeWritten(t *testing.T) {
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	beyond := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -60))
	lasting := create
	lasting.ExpiresAt = &last
	_, err := lasting.Decide(secrets.State{})
	require.NoError(t, err)
	lasting.ExpiresAt = &beyond
	_, err = lasting.Decide(secrets.State{})
	require.Equal(t, []string{"expiresAt"}, faulttest.Fields(t, err))
	_, err = secrets.Change{SecretID: "ts-1", ExpiresAt: &beyond, At: now}.Decide(secrets.Secrets.State(created))
	require.Equal(t, []string{"expiresAt"}, faulttest.Fields(t, err))
}

func TestNamesOfSecrets(t *testing.T) {
	good, problems := secrets.Name{ToolName: " Sök kund: 50 % ", SecretKey: strings.Repeat("ü", secrets.MaxName),
		Environment: "staging"}.Clean()
	require.Empty(t, problems)
	require.Equal(t, "Sök kund: 50 %", good.ToolName)
	for field, wrong := range map[string]secrets.Name{
		"toolName":    {ToolName: "a\x01", SecretKey: "k", Environment: "dev"},
		"secretKey":   {ToolName: "t", SecretKey: strings.Repeat("x", secrets.MaxName+1), Environment: "dev"},
		"environment": {ToolName: "t", SecretKey: "k", Environment: "moon"},
	} {
		_, problems := wrong.Clean()
		require.Equal(t, []string{field}, faulttest.Fields(t, problems.Err()))
	}
}

// Each part of a name makes another stream.
func TestEachNameHasAStreamOfItsOwn(t *testing.T) {
	mac := func(purpose string, parts ...string) []byte {
		sum := sha256.Sum256([]byte(purpose + "|" + strings.Join(parts, "|")))
		return sum[:]
	}
	seen := map[string]bool{name.Stream(mac): true}
	for _, edit := range []func(*secrets.Name){
		func(n *secrets.Name) { n.TenantID = "b" }, func(n *secrets.Name) { n.ProjectID = "b" }, func(n *secrets.Name) { n.ToolName = "b" },
		func(n *secrets.Name) { n.SecretKey = "b" }, func(n *secrets.Name) { n.Environment = "production" },
	} {
		other := name
		edit(&other)
		require.NotContains(t, seen, other.Stream(mac))
		seen[other.Stream(mac)] = true
	}
	require.Equal(t, name.Stream(mac), name.Stream(mac))
}
