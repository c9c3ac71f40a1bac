package a2a_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/a2a"
)

// What each refusal is called where requests have paths, and its status (A2A 1.0, 9.5 and 11.6).
func TestRefusalsHaveTheirStatus(t *testing.T) {
	for code, want := range map[a2a.Code]string{
		a2a.ParseError: "400 INVALID_ARGUMENT", a2a.InvalidRequest: "400 INVALID_ARGUMENT", a2a.MethodNotFound: "404 NOT_FOUND",
		a2a.InvalidParams: "400 INVALID_ARGUMENT", a2a.InternalError: "500 INTERNAL", a2a.TaskNotFound: "404 NOT_FOUND",
		a2a.TaskNotCancelable: "409 FAILED_PRECONDITION", a2a.PushUnsupported: "400 INVALID_ARGUMENT", a2a.Unsupported: "400 INVALID_ARGUMENT",
		a2a.ContentType: "415 INVALID_ARGUMENT", a2a.InvalidAnswer: "502 INTERNAL", a2a.NoExtendedCard: "400 INVALID_ARGUMENT",
		a2a.VersionNotSupported: "400 INVALID_ARGUMENT", a2a.Code(-1): "500 INTERNAL",
	} {
		require.Equal(t, want, status(t, a2a.Refuse(code, "no")), code)
	}
	for of, want := range map[int]string{401: "401 UNAUTHENTICATED", 403: "403 PERMISSION_DENIED", 429: "429 RESOURCE_EXHAUSTED",
		503: "503 UNAVAILABLE"} {
		require.Equal(t, want, status(t, &a2a.Error{Code: a2a.InternalError, Status: of}))
	}
}

func status(t *testing.T, e *a2a.Error) string {
	t.Helper()
	var shown struct {
		Error struct {
			Code   int
			Status string
		}
	}
	raw, err := json.Marshal(e.Plain())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &shown))
	require.Equal(t, e.HTTP(), shown.Error.Code)
	return fmt.Sprint(shown.Error.Code, " ", shown.Error.Status)
}

// When it is worth trying again is said in both versions, and where nobody says nothing is.
func TestWhenARefusalIsWorthTryingAgain(t *testing.T) {
	busy := &a2a.Error{Code: a2a.InternalError, Message: "later", After: 1}
	require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"later","data":{"retryAfterMs":1}}}`,
		asJSON(t, a2a.V03.Refused(nil, busy)))
	busy.Reason = "BUSY"
	require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"later","data":[{"@type":
		"type.googleapis.com/google.rpc.ErrorInfo","reason":"BUSY","domain":"parley","metadata":{"retryAfterMs":"1"}}]}}`,
		asJSON(t, a2a.V1.Refused(nil, busy)))
	for _, v := range []a2a.Version{a2a.V03, a2a.V1} {
		require.JSONEq(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}`,
			asJSON(t, v.Refused(json.RawMessage("7"), a2a.Refuse(a2a.InternalError, "no"))))
	}
}

// Given what is as large as it may be, then it is taken; one more is refused by its name.
func TestAtTheLimitAndOnePast(t *testing.T) {
	older := func(configuration string) string {
		return `{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]},"configuration":` + configuration + `}`
	}
	push := func(more string) string {
		return older(`{"pushNotificationConfig":{"url":"https://a.example",` + more + `}}`)
	}
	for _, c := range []struct {
		params, field string // empty: it is taken
	}{
		{older(`{"historyLength":0}`), ""},
		{older(`{"historyLength":1e0}`), "configuration.historyLength"},
		{push(`"token":"` + strings.Repeat("t", 4096) + `"`), ""},
		{push(`"token":"` + strings.Repeat("t", 4097) + `"`), "configuration.pushNotificationConfig.token"},
		{push(`"token":" ~"`), ""},
		{push(`"token":"\u007f"`), "configuration.pushNotificationConfig.token"},
		{push(`"authentication":{"schemes":[]}`), ""},
		{push(`"authentication":{"schemes":["Bearer"],"credentials":"` + strings.Repeat("c", 4097) + `"}`),
			"configuration.pushNotificationConfig.authentication.credentials"},
		{older(`{"acceptedOutputModes":null}`), ""},
	} {
		got, wrong := a2a.V03.ReadSending(json.RawMessage(c.params))
		if c.field == "" {
			require.Nil(t, wrong, c.params[len(c.params)-30:])
			require.True(t, got.Wait, "nobody says otherwise")
			continue
		}
		require.NotNil(t, wrong, c.field)
		require.Equal(t, c.field, wrong.Field)
	}
	newer, wrong := a2a.V1.ReadSending(json.RawMessage(`{"message":{"messageId":"m m","role":"ROLE_USER","parts":[{"text":"x"}]}}`))
	require.Nil(t, wrong, "a space is no control character")
	require.True(t, newer.Wait)
	_, wrong = a2a.V03.ReadSending(json.RawMessage(`{"message":{"messageId":"m","role":"user","parts":{"kind":"text"}}}`))
	require.Equal(t, []string{"message.parts", "message.parts must be a list"}, []string{wrong.Field, wrong.Message})

	longest := `"` + strings.Repeat("x", a2a.LongestID-2) + `"` // with its quotes
	got, wrong := a2a.ReadRequest([]byte("\n\t {\"jsonrpc\":\"2.0\",\"id\":" + longest + `,"method":"x"}` + "\r\n"))
	require.Nil(t, wrong)
	require.Equal(t, longest, string(got.ID))
	_, wrong = a2a.ReadRequest([]byte(`{"jsonrpc":"2.0","id":{},"method":"x"}`))
	require.Equal(t, a2a.InvalidRequest, wrong.Code)
	_, wrong = a2a.ReadRequest([]byte(`[{"jsonrpc":"2.0","id":1,"method":"x"}]`))
	require.Contains(t, wrong.Message, "one by one")
	_, wrong = a2a.ReadRequest([]byte(`"x"`))
	require.Contains(t, wrong.Message, "a request is an object")
}

// What an agent says of itself, whole: clients of both versions find what they look for.
func TestTheWholeCard(t *testing.T) {
	card := a2a.Card{Name: "shop", Description: "Sells.", URL: "https://p.example/a", Version: "7",
		Skills: []a2a.Skill{{ID: "sell", Name: "Sell", Description: "It sells."}}}
	require.JSONEq(t, `{"protocolVersion":"0.3.0","name":"shop","description":"Sells.","url":"https://p.example/a","version":"7",
		"preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"https://p.example/a","transport":"JSONRPC"}],
		"supportedInterfaces":[{"url":"https://p.example/a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},
			{"url":"https://p.example/a","protocolBinding":"JSONRPC","protocolVersion":"0.3"}],
		"capabilities":{"streaming":true,"pushNotifications":true,"stateTransitionHistory":false,"extendedAgentCard":false},
		"securitySchemes":{"apiKey":{"type":"apiKey","in":"header","name":"X-API-Key",
			"apiKeySecurityScheme":{"location":"header","name":"X-API-Key"}}},
		"security":[{"apiKey":[]}],"securityRequirements":[{"schemes":{"apiKey":{"list":[]}}}],
		"defaultInputModes":["text/plain","application/json","application/octet-stream"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"sell","name":"Sell","description":"It sells.","tags":[]}],"supportsAuthenticatedExtendedCard":false}`,
		asJSON(t, card.Shown()))
}
