package checks

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

const tenant = "acme"

// written is a log of commits with one event each.
type written struct {
	t *testing.T
	f *Fold
}

func newLog(t *testing.T) written {
	return written{t, &Fold{Streams: map[string][]*eventstore.Record{}, Requests: map[string][][]*eventstore.Record{}}}
}

func (w written) add(c *event.Category, stream, request string, p event.Payload) *eventstore.Record {
	w.t.Helper()
	kind, err := c.KindOf(p)
	require.NoError(w.t, err)
	data, err := json.Marshal(p)
	require.NoError(w.t, err)
	r := &eventstore.Record{ID: uuid.NewString(), Type: kind.Type(), Stream: stream, Tenant: tenant,
		Version: int64(len(w.f.Streams[stream]) + 1), Commit: uuid.NewString(), CommitSize: 1, RequestID: request, Data: data, Topic: c.Topic()}
	w.f.accept([]eventstore.Entry{{Record: r}})
	return r
}

func keys(t *testing.T) *vault.Vault {
	t.Helper()
	v, err := vault.Create(filepath.Join(t.TempDir(), "keyset.json"))
	require.NoError(t, err)
	return v
}

func TestAcknowledged(t *testing.T) {
	v := keys(t)
	revoke := load.Op{Kind: load.RevokeKey, Key: "key", Path: "/path", KeyID: "ak-1", Outcome: load.OK, Tries: []load.Try{{Status: 200}}}
	request := eventstore.RequestID(v.MAC, tenant, "revoke-api-key", "/path", "key")
	stream := access.ScopeStream(tenant, "as-1")
	for name, c := range map[string]struct {
		log           func(w written)
		outcome       load.Outcome
		lost, doubled int
		fits          bool
	}{
		"found once": {func(w written) { w.add(access.Scopes.Category, stream, request, access.KeyRevoked{KeyID: "ak-1"}) },
			load.OK, 0, 0, true},
		"not on the log": {func(written) {}, load.OK, 1, 0, false},
		"on the log with other values": {func(w written) { w.add(access.Scopes.Category, stream, request, access.KeyRevoked{KeyID: "ak-2"}) },
			load.OK, 1, 0, false},
		"refused, and yet on the log": {func(w written) { w.add(access.Scopes.Category, stream, request, access.KeyRevoked{KeyID: "ak-1"}) },
			load.Refused, 0, 0, false},
		"unknown, and not on the log": {func(written) {}, load.Unknown, 0, 0, true},
		"another request, on its own": {func(w written) { w.add(access.Scopes.Category, stream, "another", access.KeyRevoked{KeyID: "ak-1"}) },
			load.OK, 1, 0, false},
		"twice under one request of it": {func(w written) { twice(w, stream, request) }, load.OK, 0, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, op := newLog(t), revoke
			op.Outcome = c.outcome
			c.log(w)
			var out Findings
			Acknowledged(w.f, []load.Op{op}, v, tenant, &out)
			require.Equal(t, c.lost, out.Lost)
			require.Equal(t, c.doubled, out.Doubled)
			require.Equal(t, c.fits, out.OK(), "%v", out.Problems)
		})
	}
}

func twice(w written, stream, request string) {
	w.add(access.Scopes.Category, stream, request, access.KeyRevoked{KeyID: "ak-1"})
	w.add(access.Scopes.Category, stream, request, access.KeyRevoked{KeyID: "ak-1"})
}

// A key that was created when its name was taken was decided on another state than
// the log had.
func TestDecided(t *testing.T) {
	at, stream := time.Now().UTC(), access.ScopeStream(tenant, "as-1")
	scope := access.ScopeDefined{TenantID: tenant, ProjectID: "p", ScopeID: "as-1", ScopeName: "main"}
	created := func(id, name string) access.KeyCreated {
		return access.KeyCreated{TenantID: tenant, ProjectID: "p", ScopeID: "as-1", ScopeName: "main", KeyID: id, Name: name,
			Kind: access.SecretKey, Hash: "h", DisplayPrefix: "sk_", CreatedAt: at}
	}
	for name, c := range map[string]struct {
		second access.KeyCreated
		fits   bool
	}{
		"another name":  {created("ak-2", "two"), true},
		"the same name": {created("ak-2", "one"), false},
		"the same key":  {created("ak-1", "two"), false},
		"another tenant": {access.KeyCreated{TenantID: "else", KeyID: "ak-3", Name: "three", Kind: access.SecretKey, Hash: "h", CreatedAt: at},
			false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLog(t)
			w.add(access.Scopes.Category, stream, "", scope)
			w.add(access.Scopes.Category, stream, "", created("ak-1", "one"))
			w.add(access.Scopes.Category, stream, "", c.second)
			var out Findings
			Decided(w.f, &out)
			require.Equal(t, c.fits, out.OK(), "%v", out.Problems)
		})
	}
}

func TestActed(t *testing.T) {
	stream := calls.Calls.Stream("c1")
	requested := calls.Requested{CallID: "c1", Target: "tel:+1", NotifyURL: "http://127.0.0.1/"}
	for name, c := range map[string]struct {
		log  func(w written)
		seen map[string]load.Delivery
		fits bool
	}{
		"attempted once, ended once": {func(w written) {
			w.add(calls.Calls.Category, stream, "", calls.AttemptStarted{})
			notified(w, w.add(calls.Calls.Category, stream, "", calls.Failed{}).ID)
		}, nil, true},
		"attempted twice": {func(w written) {
			w.add(calls.Calls.Category, stream, "", calls.AttemptStarted{})
			w.add(calls.Calls.Category, stream, "", calls.AttemptStarted{})
			notified(w, w.add(calls.Calls.Category, stream, "", calls.Failed{}).ID)
		}, nil, false},
		"never ended":                  {func(w written) { w.add(calls.Calls.Category, stream, "", calls.AttemptStarted{}) }, nil, false},
		"ended without a notification": {func(w written) { w.add(calls.Calls.Category, stream, "", calls.Failed{}) }, nil, false},
		"a notification from nowhere came": {func(w written) { notified(w, w.add(calls.Calls.Category, stream, "", calls.Failed{}).ID) },
			map[string]load.Delivery{"x": {Times: 1}}, false},
		"a notification of what never was": {func(w written) {
			notified(w, w.add(calls.Calls.Category, stream, "", calls.Failed{}).ID)
			notified(w, "of an event that lost")
		}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLog(t)
			w.add(calls.Calls.Category, stream, "", requested)
			c.log(w)
			seen := map[string]load.Delivery{}
			for _, r := range w.f.Streams[deliveries.Deliveries.Stream("c1")] {
				p, err := deliveries.Deliveries.Decode(r.Type, r.Data)
				require.NoError(t, err)
				if e, ok := p.(deliveries.Enqueued); ok {
					seen[e.NoticeID] = load.Delivery{Times: 1}
				}
			}
			for id, d := range c.seen {
				seen[id] = d
			}
			var out Findings
			Acted(w.f, seen, &out)
			require.Equal(t, c.fits, out.OK(), "%v", out.Problems)
		})
	}
}

// notified queues a notification and records its delivery.
func notified(w written, id string) {
	stream := deliveries.Deliveries.Stream("c1")
	w.add(deliveries.Deliveries.Category, stream, "", deliveries.Enqueued{NoticeID: id, Body: []byte("{}")})
	w.add(deliveries.Deliveries.Category, stream, "", deliveries.Delivered{NoticeID: id})
}
