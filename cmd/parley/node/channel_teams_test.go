//go:build !apache

package node_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	given "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/fault"
)

// formAgent asks by a button, a menu and a field.
const formAgent = `DSL: 1
AGENT: meter
GATHER:
  kind: {TYPE: enum, OPTIONS: [electricity, gas]}
  pin: {TYPE: pattern, PATTERN: "^[0-9]{4}$"}
FLOW:
  START: ready
  STEPS:
    ready: {SAY: "Shall we?", RICH: [{KIND: button, ID: go, LABEL: "Yes"}], ON_ACTION: {go: which}}
    which:
      SAY: "Which meter?"
      RICH: [{KIND: select, ID: kind, LABEL: Meter, OPTIONS: [{ID: electricity, LABEL: Current}, {ID: gas, LABEL: Gas}]}]
      GATHER: [kind]
      NEXT: pin
    pin:
      SAY: "And its PIN?"
      RICH: [{KIND: input, ID: pin, LABEL: PIN}]
      GATHER: [pin]
      NEXT: bye
    bye: {SAY: "Thank you for the {{ gather.kind }}, {{ caller.name }}.", END: true}
`

// connectedWorld is a tenant whose one agent is reached by channels, where providers are so.
func connectedWorld(t *testing.T, source string, at map[string]string) talkWorld {
	c := newCluster(t)
	by := func(c *node.Config) { c.Providers = given.Providers{Channels: at} }
	c.a, c.b = c.start(t, by), c.start(t, by)
	w := talkWorld{&agentsWorld{cluster: c, tenant: c.tenant(t, "")}}
	w.apply(t, "Agent", "a-meter", "meter", fields{"projectId": mainApp, "dslContent": source})
	w.auth = w.token(t)
	w.deploy(t, "production")
	return w
}

// microsoft is its login, its keys and the connector of Teams.
type microsoft struct {
	*httptest.Server
	key  *rsa.PrivateKey
	mu   sync.Mutex
	took []map[string]any // messages, with the path as "path"
	says int              // a status, in place of taking messages
}

func newMicrosoft(t *testing.T) *microsoft {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	m := &microsoft{key: key}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.Close)
	return m
}

func (m *microsoft) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch path := r.URL.EscapedPath(); {
	case path == "/v1/.well-known/openidconfiguration":
		_, _ = fmt.Fprintf(w, `{"jwks_uri":"http://%s/v1/.well-known/keys"}`, r.Host)
	case path == "/v1/.well-known/keys":
		number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
		_ = json.NewEncoder(w).Encode(fields{"keys": []fields{{"kty": "RSA", "kid": "k", "n": number(m.key.N),
			"e": number(big.NewInt(int64(m.key.E))), "endorsements": []string{"msteams"}}}})
	case strings.HasSuffix(path, "/oauth2/v2.0/token"):
		_, _ = io.WriteString(w, `{"expires_in":3600,"access_token":"a-token"}`)
	case r.Header.Get("Authorization") != "Bearer a-token" || m.says != 0:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(max(m.says, 401))
	default:
		message := map[string]any{"path": path}
		_ = json.Unmarshal(body, &message)
		m.took = append(m.took, message)
		_, _ = fmt.Fprintf(w, `{"id":"%d"}`, len(m.took))
	}
}

// told are the messages that came, in their order, once there are so many.
func (m *microsoft) told(t *testing.T, want int) (all []map[string]any) {
	t.Helper()
	require.Eventually(t, func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		all = slices.DeleteFunc(slices.Clone(m.took), func(one map[string]any) bool { return one["type"] != "message" })
		return len(all) >= want
	}, patience, 20*time.Millisecond)
	return all
}

func (m *microsoft) answers(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.says = status
}

func (m *microsoft) token(t *testing.T, app string, more jwt.MapClaims) string {
	t.Helper()
	of := jwt.MapClaims{"iss": "https://api.botframework.com", "aud": app, "exp": time.Now().Add(time.Hour).Unix(),
		"serviceurl": "https://smba.trafficmanager.net/amer/"}
	for name, value := range more {
		of[name] = value
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, of)
	token.Header["kid"] = "k"
	signed, err := token.SignedString(m.key)
	require.NoError(t, err)
	return signed
}

// activityOf is an activity of Ann.
func activityOf(app, id string, more fields) fields {
	out := fields{"type": "message", "id": id, "timestamp": "2026-11-25T12:00:00Z", "serviceUrl": "https://smba.trafficmanager.net/amer/",
		"channelId": "msteams", "from": fields{"id": "29:ann", "name": "Ann"}, "recipient": fields{"id": "28:" + app},
		"conversation": fields{"id": "a:1", "conversationType": "personal"}}
	for name, value := range more {
		out[name] = value
	}
	return out
}

// cardOf is the card of a message: what is in it, and its buttons.
func cardOf(t *testing.T, message map[string]any) (body, buttons []any) {
	t.Helper()
	require.Len(t, message["attachments"], 1)
	card := message["attachments"].([]any)[0].(map[string]any)["content"].(map[string]any)
	buttons, _ = card["actions"].([]any)
	return card["body"].([]any), buttons
}

// Given an app of Teams, when somebody writes to it, then an agent answers: by buttons, menus and
// fields of a card, and what is done there goes on.
func TestAnAgentAnswersInTeams(t *testing.T) {
	t.Parallel()
	teams := newMicrosoft(t)
	w := connectedWorld(t, formAgent, map[string]string{"msteams": teams.URL})
	app := "app-" + digits()
	path := "/api/v1/channels/msteams/webhook/" + app
	made := w.connect(t, fields{"channelType": "msteams", "externalIdentifier": app, "credentials": fields{"appPassword": "hush-password"}})
	post := func(id string, more fields, claims ...jwt.MapClaims) *answer {
		return w.a.do(t, "POST", path, activityOf(app, id, more), "Authorization", "Bearer "+teams.token(t, app, append(claims, nil)[0]))
	}

	for name, claims := range map[string]jwt.MapClaims{"late": {"exp": time.Now().Add(-6 * time.Minute).Unix()},
		"for another": {"aud": "x"}, "elsewhere": {"serviceurl": "https://smba.trafficmanager.net/emea/"}} {
		got := post("1", fields{"text": "Hi"}, claims).refused(t, 403, fault.Forbidden)
		require.NotContains(t, got.Text, "hush", name)
	}
	w.a.do(t, "POST", path, activityOf(app, "1", fields{"text": "Hi"})).refused(t, 403, fault.Forbidden)
	post("0", fields{"type": "conversationUpdate"}).must(t, 200)

	for range 2 {
		post("1", fields{"text": "Hi"}).must(t, 200)
	}
	first := teams.told(t, 1)[0]
	require.Equal(t, []any{"Shall we?", "/amer/v3/conversations/a:1/activities"}, []any{first["text"], first["path"]})
	_, buttons := cardOf(t, first)
	require.Len(t, buttons, 1)
	post("2", fields{"value": buttons[0].(map[string]any)["data"]}).must(t, 200)
	body, _ := cardOf(t, teams.told(t, 2)[1])
	menu, ok := body[0].(map[string]any), body[1].(map[string]any)["actions"].([]any)[0].(map[string]any)["data"].(map[string]any)
	require.Equal(t, []any{"Input.ChoiceSet", "Meter"}, []any{menu["type"], menu["label"]})
	ok[menu["id"].(string)] = menu["choices"].([]any)[1].(map[string]any)["value"]
	teams.answers(429)
	post("3", fields{"value": ok}).must(t, 200)
	require.Eventually(t, func() bool {
		return len(w.deliveries(t, made["id"].(string), "?status=retrying")) == 1
	}, patience, 20*time.Millisecond)
	teams.answers(0)
	asked := teams.told(t, 3)[2]
	require.Equal(t, "And its PIN?", asked["text"])
	body, _ = cardOf(t, asked)
	field, ok := body[0].(map[string]any), body[1].(map[string]any)["actions"].([]any)[0].(map[string]any)["data"].(map[string]any)
	require.Equal(t, []any{"Input.Text", "PIN"}, []any{field["type"], field["label"]})
	ok[field["id"].(string)] = "1234"
	post("4", fields{"value": ok}).must(t, 200)
	require.Equal(t, "Thank you for the gas, Ann.", teams.told(t, 4)[3]["text"])
}
