package resttest

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
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// The operations below stand for those of the slices: one that places a call with
// a token, one that manages keys, one that takes either, a hook, a public one.

type placeCall struct {
	BotID string `path:"botId"`
	Dry   bool   `query:"dry"`
	Line  string `query:"line" enum:"fixed,mobile"`
	Limit int    `query:"limit" default:"50" minimum:"1" maximum:"200"`
	Body  CallBody
}

// CallBody has a field of each kind that is checked.
type CallBody struct {
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
		Got     CallBody        `json:"got"`
		Raw     json.RawMessage `json:"raw,omitempty"`
	}
}

// Calls counts how often the handlers of the sample operations ran.
type Calls struct {
	mu sync.Mutex
	N  int
	// Next is what the call handler answers, if not nil.
	Next error
}

// Place counts the calls that got through to the handler.
func (c *Calls) Place(ctx context.Context, in *placeCall) (*callPlaced, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.N++
	if c.Next != nil {
		return nil, c.Next
	}
	var out callPlaced
	out.Body.Success = true
	out.Body.Project = rest.ProjectOf(ctx).ID
	out.Body.Tenant = rest.PrincipalOf(ctx).TenantID
	out.Body.Request = rest.CorrelationID(ctx)
	out.Body.Got = in.Body
	return &out, nil
}

// Text is an answer of one word.
type Text struct{ Body string }

type accountInput struct {
	rest.AccountHeader
	rest.ProjectHeader
	Account string `path:"accountId"`
	Body    map[string]any
}

// World is an API with sample operations, and all that it asks.
type World struct {
	Api     *rest.API
	Calls   *Calls
	Log     *bytes.Buffer
	Clients map[string]tokens.ClientRecord // "tenant/client"
	Keys    map[string]tokens.KeyRecord    // by hash
	Down    error                          // what the directory answers when it fails
	Now     time.Time
}

// How long tests wait for a condition, and how often they look.
const (
	WaitLong = 20 * time.Second
	WaitStep = 5 * time.Millisecond
)

// Secret signs the tokens of the sample clients.
var Secret = []byte("a shared secret of thirty-two by")

// key secrets of the sample world.
var (
	FullKey   = access.NewSecret(access.SecretKey, [32]byte{1})
	ViewKey   = access.NewSecret(access.SecretKey, [32]byte{2})
	PublicKey = access.NewSecret(access.PublicKey, [32]byte{3})
)

// Hash is what is kept of the secret of an API key here.
func Hash(s string) []byte { h := sha256.Sum256([]byte(s)); return h[:] }

// Client finds a sample client; everything is refused while the world is Down.
func (w *World) Client(_ context.Context, tenant, client string) (tokens.ClientRecord, error) {
	if w.Down != nil {
		return tokens.ClientRecord{}, w.Down
	}
	c, ok := w.Clients[tenant+"/"+client]
	if !ok {
		return c, fault.New(fault.NotFound, "no such client")
	}
	return c, nil
}

// APIKey finds a sample key by the hash of its secret.
func (w *World) APIKey(_ context.Context, hash []byte) (tokens.KeyRecord, error) {
	if w.Down != nil {
		return tokens.KeyRecord{}, w.Down
	}
	k, ok := w.Keys[string(hash)]
	if !ok {
		return k, fault.New(fault.NotFound, "no such key")
	}
	return k, nil
}

// Resolve knows project p-1 of acme, also as "main", its p-9, and p-2 of globex.
func (w *World) Resolve(_ context.Context, tenant, id string) (rest.ProjectRecord, error) {
	switch {
	case tenant == "acme" && (id == "p-1" || id == "main"):
		return rest.ProjectRecord{ID: "p-1", TenantID: "acme"}, nil
	case tenant == "acme" && id == "p-9":
		return rest.ProjectRecord{ID: "p-9", TenantID: "acme"}, nil
	case tenant == "globex" && id == "p-2":
		return rest.ProjectRecord{ID: "p-2", TenantID: "globex"}, nil
	case id == "broken":
		return rest.ProjectRecord{}, errors.New("connection to 10.0.0.7 refused")
	}
	return rest.ProjectRecord{}, fault.New(fault.NotFound, "no such project")
}

// NewWorld declares the sample operations, after the settings were changed.
func NewWorld(t testing.TB, change ...func(*rest.Config)) *World {
	t.Helper()
	w := &World{Calls: &Calls{}, Log: &bytes.Buffer{}, Now: time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.Clients = map[string]tokens.ClientRecord{"acme/crm": {
		ID: "crm", TenantID: "acme", Origin: access.OriginApp, Alg: access.HS256, Secret: Secret,
		Scopes:      []access.ClientScope{access.ScopeAssistDialout, access.ScopeCustomReports, access.ScopeCustomReportsAdmin},
		Permissions: []access.Permission{access.PermSessionRead, "channel:*"},
	}}
	w.Keys = map[string]tokens.KeyRecord{
		string(Hash(FullKey)): {ID: "ak-1", TenantID: "acme", ProjectID: "p-1", ScopeID: "as-1", Permissions: []access.KeyPermission{
			access.APIScopeKeyFull, access.SessionsList}},
		string(Hash(ViewKey)): {ID: "ak-2", TenantID: "acme", ProjectID: "p-1", ScopeID: "as-2", Permissions: []access.KeyPermission{
			access.APIScopeKeyView}},
		string(Hash(PublicKey)): {ID: "ak-3", TenantID: "acme", ProjectID: "p-1", ScopeID: "as-1", Public: true},
	}
	cfg := rest.Config{
		Directory: w, Projects: w, HashKey: Hash,
		Log: slog.New(slog.NewTextHandler(w.Log, nil)), Now: func() time.Time { return w.Now },
	}
	for _, c := range change {
		c(&cfg)
	}
	w.Api = rest.New(cfg)
	w.declare()
	return w
}

func (w *World) declare() {
	rest.Declare(w.Api, rest.Operation{
		ID: "place-call", Method: http.MethodPost, Path: "/calls/{botId}", Summary: "Place a call", Tags: []string{"Calls"},
		Requirement: access.TokenOnly(access.ScopeAssistDialout), Resolve: rest.ProjectFrom("botId"),
	}, w.Calls.Place)
	rest.Declare(w.Api, rest.Operation{
		ID: "create-key", Method: http.MethodPost, Path: "/apps/{appId}/keys", Summary: "Create a key", Status: http.StatusCreated,
		Requirement: access.KeyOnly(access.CanManageKeys), Resolve: rest.ProjectFrom("appId"), Refusals: []fault.Code{fault.Conflict},
	}, func(ctx context.Context, _ *struct{}) (*Text, error) { return &Text{rest.PrincipalOf(ctx).KeyID}, nil })
	rest.Declare(w.Api, rest.Operation{
		ID: "list-sessions", Method: http.MethodGet, Path: "/sessions", Summary: "List sessions", Extension: true,
		Requirement: access.Needs(access.PermSessionRead),
	}, func(ctx context.Context, _ *struct{}) (*Text, error) {
		return &Text{rest.PrincipalOf(ctx).Actor()}, nil
	})
	rest.Declare(w.Api, rest.Operation{
		ID: "hook", Method: http.MethodPost, Path: "/hooks/{botId}", Summary: "Take a hook", Errors: rest.HookErrors,
		Requirement: access.TokenOnly(access.ScopeAssistDialout), Resolve: rest.ProjectFrom("botId"),
	}, w.Calls.Place)
	rest.Declare(w.Api, rest.Operation{
		ID: "account-details", Method: http.MethodPost, Path: "/account/{accountId}/calldetails", Summary: "Details of an account",
		Requirement: access.TokenOnly(access.ScopeAssistDialout),
		Resolve:     rest.ResolveAll(rest.OwnAccount("accountId"), rest.ProjectFromHeader("iid")),
	}, func(ctx context.Context, in *accountInput) (*Text, error) {
		return &Text{in.AccountID + "/" + rest.ProjectOf(ctx).ID}, nil
	})
	rest.Declare(w.Api, rest.Operation{
		ID: "greet", Method: http.MethodGet, Path: "/greetings/{name}", Summary: "Greet", Requirement: access.Public,
	}, func(_ context.Context, in *struct {
		Name string `path:"name"`
	}) (*Text, error) {
		switch in.Name {
		case "panic":
			panic("the vault password is hunter2")
		case "broken":
			return nil, errors.New("dial tcp 10.0.0.7: refused")
		}
		return &Text{"hello " + in.Name}, nil
	})
}

// Token is a valid one of client crm of acme, unless changed.
func (w *World) Token(change ...func(*tokens.Grant)) string {
	g := tokens.Grant{
		TenantID: "acme", ClientID: "crm", Subject: "ada", Issued: w.Now, Expires: w.Now.Add(time.Hour),
		Scopes: []access.ClientScope{access.ScopeAssistDialout}, Permissions: []access.Permission{access.PermSessionRead},
	}
	for _, c := range change {
		c(&g)
	}
	t, err := tokens.Issue(g, Secret)
	if err != nil {
		panic(err)
	}
	return t
}

// Call sends one request; headers alternate names and values.
func (w *World) Call(method, target, body string, headers ...string) *Reply {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return w.Send(r)
}

// Send asks the API and reads the whole answer.
func (w *World) Send(r *http.Request) *Reply {
	rec := httptest.NewRecorder()
	w.Api.ServeHTTP(rec, r)
	a := &Reply{Status: rec.Code, Header: rec.Header(), Text: rec.Body.String()}
	_ = json.Unmarshal(rec.Body.Bytes(), &a.Refusal)
	return a
}

// Reply is an answer, and its refusal if it is one.
type Reply struct {
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

// Code is that of the refusal.
func (a *Reply) Code() fault.Code { return a.Refusal.Error.Code }

// Fields are those that the refusal names, in order.
func (a *Reply) Fields() []string {
	var out []string
	for _, d := range a.Refusal.Error.Details {
		out = append(out, d.Field)
	}
	return out
}

// Decode reads the body into a value.
func (a *Reply) Decode(t *testing.T, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.Text), into), a.Text)
}
