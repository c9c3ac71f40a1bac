package connections_test

import (
	"crypto/sha256"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

var (
	now    = time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	sealed = map[string]connections.Credential{"signingSecret": {Sealed: "sealed:v1:a", Fingerprint: "fa"},
		"botToken": {Sealed: "sealed:v1:b", Fingerprint: "fb"}}
	settings = connections.Settings{Name: "Shop", AgentName: "greeter", DeploymentID: "d-1", Environment: "staging", Active: true}
	created  = connections.Created{ConnectionID: "cn-1", ClaimID: "c-1", TenantID: "acme", ProjectID: "shop", Kind: "slack", External: "A1:T1",
		Settings: settings, Credentials: sealed, At: now}
	changed = connections.Changed{ConnectionID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "slack",
		Settings: connections.Settings{Name: "Shop"}, Credentials: sealed, At: now}
	deleted = connections.Deleted{ConnectionID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "slack", At: now}
	givenUp = connections.ClaimGivenUp{ConnectionID: "cn-1", ClaimID: "c-1"}
	claimed = connections.Claimed{TenantID: "acme", ConnectionID: "cn-1", ClaimID: "c-1"}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, connections.Connections.Category, "testdata/events", created, changed, deleted, givenUp, troubled)
	eventtest.Golden(t, connections.Identifiers.Category, "testdata/identifiers", claimed)
	require.Equal(t, []int{event.Quiet, event.Quiet}, []int{connections.Connections.Partitions, connections.Identifiers.Partitions},
		"an account has few connections")
}

func create(edit ...func(*connections.Create)) connections.Create {
	kind, _ := connections.KindOf("slack")
	c := connections.Create{ConnectionID: "cn-1", ClaimID: "c-1", TenantID: "acme", ProjectID: "shop", Kind: kind, External: "A1:T1",
		Settings: settings, Credentials: sealed, At: now}
	for _, e := range edit {
		e(&c)
	}
	return c
}

func change(edit func(*connections.Settings), given map[string]*connections.Credential) connections.Change {
	return connections.Change{Edit: edit, Credentials: given, At: now}
}

func TestWhatIsDecidedOfAConnection(t *testing.T) {
	nothing := func(*connections.Settings) {}
	off := func(s *connections.Settings) { *s = connections.Settings{Name: " Shop "} }
	another := connections.Credential{Sealed: "sealed:v1:c", Fingerprint: "fc"}
	with := func(name string, c connections.Credential) connections.Changed {
		e := changed
		e.Settings, e.Credentials = settings, maps.Clone(sealed)
		e.Credentials[name] = c
		return e
	}
	giveUp := connections.GiveUp{ConnectionID: "cn-1", ClaimID: "c-1"}
	second := created
	second.ClaimID = "c-2"
	unnamed := created
	unnamed.Settings.Name = "A1:T1"
	nameless := changed
	nameless.Settings, nameless.Credentials = unnamed.Settings, sealed
	noName := func(s *connections.Settings) { s.Name = " " }
	for name, c := range map[string]struct {
		given  []event.Payload
		decide func(connections.State) ([]event.Payload, error)
		want   []event.Payload
		code   fault.Code
	}{
		"made": {nil, create().Decide, list(created), ""},
		"made without a name": {nil, create(func(c *connections.Create) { c.Settings.Name = " " }).Decide,
			list(unnamed), ""},
		"made twice":      {list(created), create().Decide, nil, fault.Conflict},
		"made again":      {list(created, deleted), create().Decide, list(created), ""},
		"another try":     {list(created, deleted, givenUp), create(func(c *connections.Create) { c.ClaimID = "c-2" }).Decide, list(second), ""},
		"given up before": {list(givenUp, second, deleted), create().Decide, nil, fault.Conflict},
		"made with a wrong setting": {nil, create(func(c *connections.Create) { c.Settings.Environment = "moon" }).Decide, nil,
			fault.Validation},
		"outrun":                 {list(givenUp), create().Decide, nil, fault.Conflict},
		"changed":                {list(created), change(off, nil).Decide, list(changed), ""},
		"its name is taken away": {list(created), change(noName, nil).Decide, list(nameless), ""},
		"nothing new":            {list(created), change(nothing, nil).Decide, nil, ""},
		"the same, sealed anew": {list(created), change(nothing,
			map[string]*connections.Credential{"botToken": {Sealed: "sealed:v1:z", Fingerprint: "fb"}}).Decide, nil, ""},
		"another token": {list(created), change(nothing, map[string]*connections.Credential{"botToken": &another}).Decide,
			list(with("botToken", another)), ""},
		"one more": {list(created), change(nothing, map[string]*connections.Credential{"botUserId": &another}).Decide,
			list(with("botUserId", another)), ""},
		"one less than it needs": {list(created), change(nothing, map[string]*connections.Credential{"botToken": nil}).Decide, nil,
			fault.Validation},
		"not there":         {nil, change(nothing, nil).Decide, nil, fault.NotFound},
		"changed too late":  {list(created, deleted), change(off, nil).Decide, nil, fault.NotFound},
		"deleted":           {list(created), connections.Delete{At: now}.Decide, list(deleted), ""},
		"deleted again":     {list(created, deleted), connections.Delete{At: now}.Decide, nil, fault.NotFound},
		"deleted by nobody": {nil, connections.Delete{At: now}.Decide, nil, fault.NotFound},
		"given up":          {nil, giveUp.Decide, list(givenUp), ""},
		"given up twice":    {list(givenUp), giveUp.Decide, nil, ""},
		"held no more":      {list(created, deleted), giveUp.Decide, list(givenUp), ""},
		"held by another":   {list(givenUp, second), giveUp.Decide, nil, ""},
		"not given up":      {list(created, changed), giveUp.Decide, nil, fault.Conflict},
	} {
		got, err := c.decide(connections.Connections.State(c.given...))
		if c.code != "" {
			require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func list(events ...event.Payload) []event.Payload { return events }

func TestAnOptionalCredentialIsTakenAway(t *testing.T) {
	more := created
	more.Credentials = map[string]connections.Credential{"signingSecret": {}, "botToken": {}, "botUserId": {}}
	s := connections.Connections.State(more)
	got, err := change(func(*connections.Settings) {}, map[string]*connections.Credential{"botUserId": nil}).Decide(s)
	require.NoError(t, err)
	connections.Connections.Fold(&s, got[0])
	require.Equal(t, []string{"botToken", "signingSecret"}, s.CredentialNames())
	connections.Connections.Fold(&s, deleted)
	require.Empty(t, s.CredentialNames(), "nobody needs them any more")
}

func TestAnIdentifierIsClaimed(t *testing.T) {
	claim := connections.Claim{TenantID: "acme", ConnectionID: "cn-1", ClaimID: "c-1"}
	got, err := claim.Decide(connections.ClaimState{})
	require.NoError(t, err)
	require.Equal(t, list(claimed), got)
	s := connections.Identifiers.State(claimed)
	got, err = claim.Decide(s)
	require.NoError(t, err)
	require.Empty(t, got, "the same claim")
	other := connections.Claim{TenantID: "other", ConnectionID: "cn-2", ClaimID: "c-2"}
	for over, taken := range map[string]bool{"": true, "c-0": true, "c-1": false} {
		other.Over = over
		_, err = other.Decide(s)
		require.Equal(t, taken, fault.Is(err, fault.Conflict), over)
	}
	require.NotContains(t, connections.Taken().Error(), "acme")
}

// What a provider calls an account is one stream for all tenants; what tenants call their own
// doors is one for each.
func TestWhereAnIdentifierIsClaimed(t *testing.T) {
	mac := func(purpose string, parts ...string) []byte {
		sum := sha256.Sum256([]byte(purpose + "|" + strings.Join(parts, "|")))
		return sum[:]
	}
	at := func(slug, tenant, external string) string {
		k, ok := connections.KindOf(slug)
		require.True(t, ok)
		return k.IdentifierStream(mac, tenant, external)
	}
	require.Equal(t, at("slack", "a", "x"), at("slack", "b", "x"))
	require.Equal(t, at("sms", "a", "x"), at("twilio_sms", "b", "x"))
	require.NotEqual(t, at("slack", "a", "x"), at("slack", "a", "y"))
	require.NotEqual(t, at("slack", "a", "x"), at("line", "a", "x"))
	require.NotEqual(t, at("api", "a", "x"), at("api", "b", "x"))
}

func TestSettingsThatAreRefused(t *testing.T) {
	for field, edit := range map[string]func(*connections.Settings){
		"name":         func(s *connections.Settings) { s.Name = strings.Repeat("n", connections.MaxName+1) },
		"agentName":    func(s *connections.Settings) { s.AgentName = "a\x01" },
		"deploymentId": func(s *connections.Settings) { s.DeploymentID = "d 1" },
		"environment":  func(s *connections.Settings) { s.Environment = "moon" },
	} {
		require.Equal(t, []string{field}, faulttest.Fields(t, create(func(c *connections.Create) { edit(&c.Settings) }).Check()))
		_, err := change(edit, nil).Decide(connections.Connections.State(created))
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
}

// Given a manifest, then the connection is made, or made to be so; credentials that it does not
// name are taken away.
func TestAConnectionIsDefined(t *testing.T) {
	define := func(edit ...func(*connections.Create)) connections.Define {
		return connections.Define{Create: create(edit...)}
	}
	got, err := define().Decide(connections.State{})
	require.NoError(t, err)
	require.Equal(t, list(created), got)
	with := func(edit func(*connections.Settings)) connections.Created {
		e := created
		edit(&e.Settings)
		return e
	}
	more := created
	more.Credentials = maps.Clone(sealed)
	more.Credentials["botUserId"] = connections.Credential{Sealed: "sealed:v1:u", Fingerprint: "fu"}
	for name, c := range map[string]struct {
		given connections.Created
		want  []event.Payload
	}{
		"the same": {created, nil},
		"less": {more, list(connections.Changed{ConnectionID: "cn-1", TenantID: "acme", ProjectID: "shop", Kind: "slack", Settings: settings,
			Credentials: sealed, At: now})},
		"another agent": {with(func(s *connections.Settings) { s.AgentName = "other" }), list(connections.Changed{ConnectionID: "cn-1",
			TenantID: "acme", ProjectID: "shop", Kind: "slack", Settings: settings, Credentials: sealed, At: now})},
	} {
		got, err := define(func(c *connections.Create) { c.ClaimID = "c-9" }).Decide(connections.Connections.State(c.given))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	line, _ := connections.KindOf("line")
	for field, edit := range map[string]func(*connections.Create){"projectId": func(c *connections.Create) { c.ProjectID = "other" },
		"channelType": func(c *connections.Create) { c.Kind = line }, "externalIdentifier": func(c *connections.Create) { c.External = "A2:T2" },
		"environment": func(c *connections.Create) { c.Settings.Environment = "moon" }} {
		_, err := define(edit).Decide(connections.Connections.State(created))
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
}
