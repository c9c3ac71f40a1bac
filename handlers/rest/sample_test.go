package rest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

// The operations below stand for those of the slices: one that places a call with
// a token, one that manages keys, one that takes either, a hook, a public one.

type placeCall struct {
	BotID string `path:"botId"`
	Dry   bool   `query:"dry"`
	Line  string `query:"line" enum:"fixed,mobile"`
	Limit int    `query:"limit" default:"50" minimum:"1" maximum:"200"`
	Body  callBody
}

type callBody struct {
	Target    string          `json:"target" required:"true" maxLength:"40" doc:"Callee URI." example:"tel:+15550001"`
	TimeoutMs *int            `json:"timeoutInMs,omitempty" minimum:"1000" maximum:"300000"`
	Detection string          `json:"machineDetection,omitempty" enum:"disconnect,detect,disabled" default:"disabled"`
	Timers    *callTimers     `json:"timers,omitempty"`
	Lists     []listBody      `json:"lists,omitempty" maxItems:"3"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Score     float64         `json:"score,omitempty"`
}

type callTimers struct {
	NoSpeechTimeoutMs int `json:"noSpeechTimeoutMs,omitempty" minimum:"1"`
}

type listBody struct {
	Name string `json:"name" required:"true"`
}

type callPlaced struct {
	Body struct {
		Success bool            `json:"success" required:"true"`
		Project string          `json:"project"`
		Tenant  string          `json:"tenant"`
		Request string          `json:"request"`
		Got     callBody        `json:"got"`
		Raw     json.RawMessage `json:"raw,omitempty"`
	}
}

// calls counts how often the handlers of the sample operations ran.
type calls struct {
	mu sync.Mutex
	n  int
	// next is what the call handler answers, if not nil.
	next error
}

func (c *calls) place(ctx context.Context, in *placeCall) (*callPlaced, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if c.next != nil {
		return nil, c.next
	}
	var out callPlaced
	out.Body.Success = true
	out.Body.Project = rest.ProjectOf(ctx).ID
	out.Body.Tenant = rest.PrincipalOf(ctx).TenantID
	out.Body.Request = rest.CorrelationID(ctx)
	out.Body.Got = in.Body
	return &out, nil
}

type text struct{ Body string }

type accountInput struct {
	rest.AccountHeader
	rest.InstanceHeader
	Account string `path:"accountId"`
	Body    map[string]any
}

// world is an API with sample operations, and all that it asks.
type world struct {
	api     *rest.API
	calls   *calls
	log     *bytes.Buffer
	clients map[string]rest.ClientRecord // "tenant/client"
	keys    map[string]rest.KeyRecord    // by hash
	down    error                        // what the directory answers when it fails
	now     time.Time
}

// How long tests wait for a condition, and how often they look.
const (
	waitLong = 20 * time.Second
	waitStep = 5 * time.Millisecond
)

var secret = []byte("a shared secret of thirty-two by")

// key secrets of the sample world.
var (
	fullKey   = access.NewSecret(access.SecretKey, [32]byte{1})
	viewKey   = access.NewSecret(access.SecretKey, [32]byte{2})
	publicKey = access.NewSecret(access.PublicKey, [32]byte{3})
)

func hash(s string) []byte { h := sha256.Sum256([]byte(s)); return h[:] }

func (w *world) Client(_ context.Context, tenant, client string) (rest.ClientRecord, error) {
	if w.down != nil {
		return rest.ClientRecord{}, w.down
	}
	c, ok := w.clients[tenant+"/"+client]
	if !ok {
		return c, fault.New(fault.NotFound, "no such client")
	}
	return c, nil
}

func (w *world) APIKey(_ context.Context, hash []byte) (rest.KeyRecord, error) {
	if w.down != nil {
		return rest.KeyRecord{}, w.down
	}
	k, ok := w.keys[string(hash)]
	if !ok {
		return k, fault.New(fault.NotFound, "no such key")
	}
	return k, nil
}

// Resolve knows project p-1 of acme, also as "main", and p-2 of another tenant.
func (w *world) Resolve(_ context.Context, tenant, id string) (rest.ProjectRecord, error) {
	switch {
	case tenant == "acme" && (id == "p-1" || id == "main"):
		return rest.ProjectRecord{ID: "p-1", TenantID: "acme"}, nil
	case tenant == "acme" && id == "p-9":
		return rest.ProjectRecord{ID: "p-9", TenantID: "acme"}, nil
	case id == "broken":
		return rest.ProjectRecord{}, errors.New("connection to 10.0.0.7 refused")
	}
	return rest.ProjectRecord{}, fault.New(fault.NotFound, "no such project")
}

func newWorld(t *testing.T, change ...func(*rest.Config)) *world {
	t.Helper()
	w := &world{calls: &calls{}, log: &bytes.Buffer{}, now: time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.clients = map[string]rest.ClientRecord{"acme/crm": {
		ID: "crm", TenantID: "acme", Origin: access.OriginApp, Alg: access.HS256, Secret: secret,
		Scopes:      []access.ClientScope{access.ScopeAssistDialout, access.ScopeCustomReports, access.ScopeCustomReportsAdmin},
		Permissions: []access.Permission{access.PermSessionRead, "channel:*"},
	}}
	w.keys = map[string]rest.KeyRecord{
		string(hash(fullKey)):   {ID: "ak-1", TenantID: "acme", ProjectID: "p-1", ScopeID: "as-1", Permissions: []access.KeyPermission{access.APIScopeKeyFull, access.SessionsList}},
		string(hash(viewKey)):   {ID: "ak-2", TenantID: "acme", ProjectID: "p-1", ScopeID: "as-2", Permissions: []access.KeyPermission{access.APIScopeKeyView}},
		string(hash(publicKey)): {ID: "ak-3", TenantID: "acme", ProjectID: "p-1", ScopeID: "as-1", Public: true},
	}
	cfg := rest.Config{
		Directory: w, Projects: w, HashKey: hash,
		Log: slog.New(slog.NewTextHandler(w.log, nil)), Now: func() time.Time { return w.now },
	}
	for _, c := range change {
		c(&cfg)
	}
	w.api = rest.New(cfg)
	w.declare()
	return w
}

func (w *world) declare() {
	rest.Declare(w.api, rest.Operation{
		ID: "place-call", Method: http.MethodPost, Path: "/calls/{botId}", Summary: "Place a call", Tags: []string{"Calls"},
		Requirement: access.TokenOnly(access.ScopeAssistDialout), Resolve: rest.ProjectFrom("botId"),
	}, w.calls.place)
	rest.Declare(w.api, rest.Operation{
		ID: "create-key", Method: http.MethodPost, Path: "/apps/{appId}/keys", Summary: "Create a key", Status: http.StatusCreated,
		Requirement: access.KeyOnly(access.CanManageKeys), Resolve: rest.ProjectFrom("appId"), Refusals: []fault.Code{fault.Conflict},
	}, func(ctx context.Context, _ *struct{}) (*text, error) { return &text{rest.PrincipalOf(ctx).KeyID}, nil })
	rest.Declare(w.api, rest.Operation{
		ID: "list-sessions", Method: http.MethodGet, Path: "/sessions", Summary: "List sessions", Extension: true,
		Requirement: access.Needs(access.PermSessionRead),
	}, func(ctx context.Context, _ *struct{}) (*text, error) {
		return &text{rest.PrincipalOf(ctx).Actor()}, nil
	})
	rest.Declare(w.api, rest.Operation{
		ID: "hook", Method: http.MethodPost, Path: "/hooks/{botId}", Summary: "Take a hook", Errors: rest.HookErrors,
		Requirement: access.TokenOnly(access.ScopeAssistDialout),
	}, w.calls.place)
	rest.Declare(w.api, rest.Operation{
		ID: "call-details", Method: http.MethodPost, Path: "/account/{accountId}/calldetails", Summary: "Call details",
		Requirement: access.TokenOnly(access.ScopeAssistDialout),
		Resolve:     rest.ResolveAll(rest.OwnAccount("accountId"), rest.ProjectFromHeader("iid")),
	}, func(ctx context.Context, in *accountInput) (*text, error) {
		return &text{in.AccountID + "/" + rest.ProjectOf(ctx).ID}, nil
	})
	rest.Declare(w.api, rest.Operation{
		ID: "greet", Method: http.MethodGet, Path: "/greetings/{name}", Summary: "Greet", Requirement: access.Public,
	}, func(_ context.Context, in *struct {
		Name string `path:"name"`
	}) (*text, error) {
		switch in.Name {
		case "panic":
			panic("the vault password is hunter2")
		case "broken":
			return nil, errors.New("dial tcp 10.0.0.7: refused")
		}
		return &text{"hello " + in.Name}, nil
	})
}

// token is a valid one of client crm of acme, unless changed.
func (w *world) token(change ...func(*rest.TokenGrant)) string {
	g := rest.TokenGrant{
		TenantID: "acme", ClientID: "crm", Subject: "ada", Issued: w.now, Expires: w.now.Add(time.Hour),
		Scopes: []access.ClientScope{access.ScopeAssistDialout}, Permissions: []access.Permission{access.PermSessionRead},
	}
	for _, c := range change {
		c(&g)
	}
	t, err := rest.IssueToken(g, secret)
	if err != nil {
		panic(err)
	}
	return t
}

// call sends one request; headers alternate names and values.
func (w *world) call(method, target, body string, headers ...string) *answer {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return w.send(r)
}

func (w *world) send(r *http.Request) *answer {
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	a := &answer{Status: rec.Code, Header: rec.Header(), Text: rec.Body.String()}
	_ = json.Unmarshal(rec.Body.Bytes(), &a.Refusal)
	return a
}

type answer struct {
	Status  int
	Header  http.Header
	Text    string
	Refusal struct {
		Success *bool `json:"success"`
		Error   struct {
			Code         fault.Code     `json:"code"`
			Message      string         `json:"message"`
			RetryAfterMs *int64         `json:"retryAfterMs"`
			Details      []fault.Detail `json:"details"`
		} `json:"error"`
	}
}

func (a *answer) code() fault.Code { return a.Refusal.Error.Code }

func (a *answer) fields() []string {
	var out []string
	for _, d := range a.Refusal.Error.Details {
		out = append(out, d.Field)
	}
	return out
}

func (a *answer) decode(t *testing.T, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.Text), into), a.Text)
}
