package a2a_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/a2a"
)

func number(n int) *int { return &n }

// Given the same in the words of both versions, then it is the same.
func TestAMessageInBothVersions(t *testing.T) {
	want := a2a.Sending{Wait: true, History: number(2), Accepted: []string{"text/plain"},
		Push: &a2a.Push{ID: "p", URL: "https://a.example", Token: "t", Scheme: "Bearer", Credentials: "c"},
		Message: a2a.Message{ID: "m-1", ContextID: "c-1", TaskID: "t-1", Metadata: json.RawMessage(`{"a":1}`), References: []string{"t-0"},
			Parts: []a2a.Part{{Text: "hi"}, {Data: json.RawMessage(`{"b":[1]}`)},
				{File: &a2a.File{Name: "f", MediaType: "text/plain", Bytes: []byte("x")}},
				{File: &a2a.File{URI: "https://f.example", Bytes: []byte{}}}}}}
	for version, params := range map[a2a.Version]string{
		a2a.V03: `{"message":{"kind":"message","messageId":"m-1","role":"user","contextId":"c-1","taskId":"t-1","metadata":{"a":1},
			"referenceTaskIds":["t-0"],"parts":[{"kind":"text","text":"hi"},{"kind":"data","data":{"b":[1]}},
			{"kind":"file","file":{"name":"f","mimeType":"text/plain","bytes":"eA=="}},{"kind":"file","file":{"uri":"https://f.example"}}]},
			"configuration":{"blocking":true,"historyLength":2,"acceptedOutputModes":["text/plain"],"pushNotificationConfig":
			{"id":"p","url":"https://a.example","token":"t","authentication":{"schemes":["Bearer","Basic"],"credentials":"c"}}}}`,
		a2a.V1: `{"message":{"messageId":"m-1","role":"ROLE_USER","contextId":"c-1","taskId":"t-1","metadata":{"a":1},
			"referenceTaskIds":["t-0"],"parts":[{"text":"hi"},{"data":{"b":[1]}},{"raw":"eA==","filename":"f","mediaType":"text/plain"},
			{"url":"https://f.example"}]},"configuration":{"historyLength":2,"acceptedOutputModes":["text/plain"],
			"taskPushNotificationConfig":{"id":"p","url":"https://a.example","token":"t","authentication":{"scheme":"Bearer","credentials":"c"}}}}`,
	} {
		got, fault := version.ReadSending(json.RawMessage(params))
		require.Nil(t, fault, version)
		require.Equal(t, want, got, version)
	}
	for version, params := range map[a2a.Version]string{a2a.V03: `{"configuration":{"blocking":false},"message":` + older + `}`,
		a2a.V1: `{"configuration":{"returnImmediately":true},"message":` + newer + `}`} {
		got, fault := version.ReadSending(json.RawMessage(params))
		require.Nil(t, fault)
		require.False(t, got.Wait)
		require.Nil(t, got.Push)
		require.True(t, got.TakesText())
	}
}

const (
	older = `{"messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}`
	newer = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}`
)

func TestWhichAnswersATextFits(t *testing.T) {
	for mode, want := range map[string]bool{"text/plain": true, "text/*": true, "*/*": true, "text": true, "image/png": false} {
		require.Equal(t, want, a2a.Sending{Accepted: []string{"audio/wav", mode}}.TakesText(), mode)
	}
}

// Given what is wrong with a message, then the first fault names the member.
func TestTheFaultsOfAMessage(t *testing.T) {
	with := func(of, old, new string) string { return `{"message":` + strings.Replace(of, old, new, 1) + `}` }
	parts := func(all string) string { return with(older, `[{"kind":"text","text":"x"}]`, all) }
	flat := func(all string) string { return with(newer, `[{"text":"x"}]`, all) }
	for _, c := range []struct {
		version a2a.Version
		params  string
		field   string
	}{
		{a2a.V03, `{}`, "message"}, {a2a.V03, `null`, "message"}, {a2a.V03, `{"message":7}`, "message"}, {a2a.V03, `{"message":null}`, "message"},
		{a2a.V03, with(older, `"m"`, `""`), "message.messageId"}, {a2a.V03, with(older, `"m"`, `7`), "message.messageId"},
		{a2a.V03, with(older, `"m"`, `"`+strings.Repeat("m", 129)+`"`), "message.messageId"},
		{a2a.V03, with(older, `"m"`, `"a\u0001"`), "message.messageId"}, {a2a.V03, with(older, `"m"`, `"a\u007f"`), "message.messageId"},
		{a2a.V03, with(older, `"user"`, `"agent"`), "message.role"}, {a2a.V03, with(older, `"user"`, `"ROLE_USER"`), "message.role"},
		{a2a.V1, with(newer, `"ROLE_USER"`, `"user"`), "message.role"}, {a2a.V1, with(newer, `"ROLE_USER"`, `"ROLE_AGENT"`), "message.role"},
		{a2a.V03, with(older, `"m"`, `"m","kind":"task"`), "message.kind"},
		{a2a.V03, with(older, `"m"`, `"m","metadata":[]`), "message.metadata"},
		{a2a.V03, with(older, `"m"`, `"m","referenceTaskIds":"x"`), "message.referenceTaskIds"},
		{a2a.V03, with(older, `"m"`, `"m","contextId":7`), "message.contextId"},
		{a2a.V03, with(older, `"m"`, `"m","taskId":[]`), "message.taskId"},
		{a2a.V03, parts(`[]`), "message.parts"}, {a2a.V03, parts(`"x"`), "message.parts"},
		{a2a.V03, parts(`[` + strings.Repeat(`{"kind":"text","text":"x"},`, 100) + `{"kind":"text","text":"x"}]`), "message.parts"},
		{a2a.V03, parts(`[{"kind":"text"}]`), "message.parts[0].text"}, {a2a.V03, parts(`[{"kind":"text","text":7}]`), "message.parts[0].text"},
		{a2a.V03, parts(`[{"kind":"text","text":"x"},{"kind":"video"}]`), "message.parts[1].kind"},
		{a2a.V03, parts(`[{"kind":"data"}]`), "message.parts[0].data"}, {a2a.V03, parts(`[{"kind":"file"}]`), "message.parts[0].file"},
		{a2a.V03, parts(`[{"kind":"file","file":{"bytes":"?"}}]`), "message.parts[0].file.bytes"},
		{a2a.V03, parts(`[{"kind":"file","file":{"bytes":"eA==","uri":"x"}}]`), "message.parts[0].file"},
		{a2a.V1, flat(`[{}]`), "message.parts[0]"}, {a2a.V1, flat(`[{"text":"x","data":1}]`), "message.parts[0]"},
		{a2a.V1, flat(`[{"raw":"eA==","url":"x"}]`), "message.parts[0]"}, {a2a.V1, flat(`[{"raw":"?"}]`), "message.parts[0].raw"},
		{a2a.V03, `{"message":` + older + `,"configuration":7}`, "configuration"},
		{a2a.V03, `{"message":` + older + `,"configuration":{"blocking":7}}`, "configuration.blocking"},
		{a2a.V03, `{"message":` + older + `,"configuration":{"historyLength":-1}}`, "configuration.historyLength"},
		{a2a.V03, `{"message":` + older + `,"configuration":{"historyLength":0.5}}`, "configuration.historyLength"},
		{a2a.V03, `{"message":` + older + `,"configuration":{"acceptedOutputModes":[7]}}`, "configuration.acceptedOutputModes"},
		{a2a.V03, `{"message":` + older + `,"configuration":{"pushNotificationConfig":{}}}`, "configuration.pushNotificationConfig.url"},
		{a2a.V1, `{"message":` + newer + `,"configuration":{"taskPushNotificationConfig":{"url":"x","token":"a\n"}}}`,
			"configuration.taskPushNotificationConfig.token"},
		{a2a.V1, `{"message":` + newer + `,"configuration":{"taskPushNotificationConfig":{"url":"x","authentication":{"scheme":"é"}}}}`,
			"configuration.taskPushNotificationConfig.authentication.scheme"},
	} {
		_, fault := c.version.ReadSending(json.RawMessage(c.params))
		require.NotNil(t, fault, c.params)
		require.Equal(t, []any{a2a.InvalidParams, c.field}, []any{fault.Code, fault.Field}, c.params)
		require.True(t, strings.HasPrefix(fault.Error(), c.field), fault.Message)
	}
	hundred := parts(`[` + strings.Repeat(`{"kind":"text","text":"x"},`, 99) + `{"kind":"text","text":"x"}]`)
	_, fault := a2a.V03.ReadSending(json.RawMessage(hundred))
	require.Nil(t, fault)
	_, fault = a2a.V03.ReadSending(json.RawMessage(with(older, `"m"`, `"`+strings.Repeat("m", 128)+`"`)))
	require.Nil(t, fault)
}

func TestRequests(t *testing.T) {
	for body, want := range map[string]a2a.Request{
		`{"jsonrpc":"2.0","id":1,"method":"x"}`:                    {ID: json.RawMessage("1"), Method: "x"},
		` {"jsonrpc":"2.0","method":"x","params":null} `:           {Method: "x"},
		`{"jsonrpc":"2.0","id":"a","method":"x","params":{"b":1}}`: {ID: json.RawMessage(`"a"`), Method: "x", Params: json.RawMessage(`{"b":1}`)},
		`{ "message": {"role":"user"}}`:                            {Bare: true, Params: json.RawMessage(`{"message":{"role":"user"}}`)},
	} {
		got, fault := a2a.ReadRequest([]byte(body))
		require.Nil(t, fault, body)
		require.Equal(t, want, got, body)
	}
	for body, code := range map[string]a2a.Code{"": a2a.ParseError, "{": a2a.ParseError, `{"a":1,"a":1}`: a2a.ParseError,
		"\xff": a2a.ParseError,
		"[]":   a2a.InvalidRequest, "7": a2a.InvalidRequest, `{"jsonrpc":2}`: a2a.InvalidRequest, `{"jsonrpc":"2.0"}`: a2a.InvalidRequest,
		`{"jsonrpc":"2.0","method":""}`: a2a.InvalidRequest, `{"jsonrpc":"2.0","method":"x","id":true}`: a2a.InvalidRequest,
		`{"jsonrpc":"2.0","method":"x","id":false}`: a2a.InvalidRequest, `{"jsonrpc":"2.0","method":"x","id":[]}`: a2a.InvalidRequest,
		`{"jsonrpc":"2.0","method":"x","id":"` + strings.Repeat("x", 128) + `"}`: a2a.InvalidRequest,
		`{"message":"hello"}`: a2a.InvalidRequest, `{"message":{},"method":"x"}`: a2a.InvalidRequest,
		`{"message":{},"jsonrpc":"2.0"}`: a2a.InvalidRequest, `{"message":{},"params":{}}`: a2a.InvalidRequest,
		`{"jsonrpc":"2.0","method":"x","params":7}`: a2a.InvalidParams} {
		_, fault := a2a.ReadRequest([]byte(body))
		require.NotNil(t, fault, body)
		require.Equal(t, code, fault.Code, body)
	}
}

// Who sends a message alone need not name it; the name that it has stays.
func TestAMessageAlone(t *testing.T) {
	for body, id := range map[string]string{`{"message":{"role":"user"}}`: "made", `{"message":{"role":"user","messageId":null}}`: "made",
		`{"message":{"role":"user","messageId":"m"}}`: "m"} {
		bare, fault := a2a.ReadRequest([]byte(strings.Replace(body, `"role"`, `"parts":[{"kind":"text","text":"hi"}],"role"`, 1)))
		require.Nil(t, fault)
		s, fault := a2a.V03.ReadSending(bare.Named("made").Params)
		require.Nil(t, fault)
		require.Equal(t, id, s.Message.ID)
	}
	whole, _ := a2a.ReadRequest([]byte(`{"jsonrpc":"2.0","method":"message/send","params":{"message":{}}}`))
	require.Equal(t, whole, whole.Named("made"), "who speaks the protocol names its messages")
}

func TestWhatNamesATask(t *testing.T) {
	for _, c := range []struct {
		version a2a.Version
		method  a2a.Method
		params  string
		want    a2a.Asking
		field   string
	}{
		{a2a.V03, a2a.GetTask, `{"id":"t","historyLength":3}`, a2a.Asking{TaskID: "t", History: number(3)}, ""},
		{a2a.V1, a2a.CancelTask, `{"id":"t"}`, a2a.Asking{TaskID: "t"}, ""},
		{a2a.V03, a2a.GetPush, `{"id":"t"}`, a2a.Asking{TaskID: "t"}, ""},
		{a2a.V03, a2a.DeletePush, `{"id":"t","pushNotificationConfigId":"p"}`, a2a.Asking{TaskID: "t", PushID: "p"}, ""},
		{a2a.V03, a2a.DeletePush, `{"id":"t"}`, a2a.Asking{}, "pushNotificationConfigId"},
		{a2a.V1, a2a.GetPush, `{"taskId":"t","id":"p"}`, a2a.Asking{TaskID: "t", PushID: "p"}, ""},
		{a2a.V1, a2a.DeletePush, `{"taskId":"t"}`, a2a.Asking{}, "id"},
		{a2a.V1, a2a.ListPushes, `{"taskId":"t"}`, a2a.Asking{TaskID: "t"}, ""},
		{a2a.V1, a2a.GetTask, ``, a2a.Asking{}, "id"}, {a2a.V1, a2a.ListPushes, `{"id":"t"}`, a2a.Asking{}, "taskId"},
	} {
		got, fault := c.version.ReadAsking(c.method, json.RawMessage(c.params))
		if c.field != "" {
			require.NotNil(t, fault, c.params)
			require.Equal(t, c.field, fault.Field)
			continue
		}
		require.Nil(t, fault, c.params)
		require.Equal(t, c.want, got, c.params)
	}
	push, fault := a2a.V1.ReadPush(json.RawMessage(`{"taskId":"t","id":"p","url":"u"}`))
	require.Nil(t, fault)
	require.Equal(t, a2a.Push{TaskID: "t", ID: "p", URL: "u"}, push)
	push, fault = a2a.V03.ReadPush(json.RawMessage(`{"taskId":"t","pushNotificationConfig":{"url":"u"}}`))
	require.Nil(t, fault)
	require.Equal(t, a2a.Push{TaskID: "t", URL: "u"}, push)
	_, fault = a2a.V03.ReadPush(json.RawMessage(`{"pushNotificationConfig":{"url":"u"}}`))
	require.Equal(t, "taskId", fault.Field)
}
