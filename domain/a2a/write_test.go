package a2a_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/a2a"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

var at = time.Date(2026, 11, 25, 12, 0, 0, 5e6, time.UTC)

func task() a2a.Task {
	return a2a.Task{ID: "t", ContextID: "c", Metadata: map[string]any{"sessionId": "s"},
		Status: a2a.Status{State: a2a.InputRequired, At: at, Message: &a2a.Message{ID: "q", TaskID: "t", ContextID: "c", ByAgent: true,
			Parts: []a2a.Part{{Text: "Which?"}}}},
		Artifacts: []a2a.Artifact{{ID: "a", Name: "answer", Parts: []a2a.Part{{Text: "x"}, {Data: json.RawMessage(`1`)},
			{File: &a2a.File{Name: "f", MediaType: "m", Bytes: []byte("x")}}, {File: &a2a.File{URI: "u"}}}}},
		History: []a2a.Message{{ID: "m", Metadata: json.RawMessage(`{}`), References: []string{"r"}, Parts: []a2a.Part{{Text: "hi"}}}}}
}

// Given a task, then each version spells it as it does, and reads from it what it wrote.
func TestATaskInBothVersions(t *testing.T) {
	old := `{"kind":"task","id":"t","contextId":"c","metadata":{"sessionId":"s"},"status":{"state":"input-required",
		"timestamp":"2026-11-25T12:00:00.005Z","message":{"kind":"message","messageId":"q","role":"agent","taskId":"t","contextId":"c",
		"parts":[{"kind":"text","text":"Which?"}]}},"artifacts":[{"artifactId":"a","name":"answer","parts":[{"kind":"text","text":"x"},
		{"kind":"data","data":1},{"kind":"file","file":{"bytes":"eA==","name":"f","mimeType":"m"}},{"kind":"file","file":{"uri":"u"}}]}],
		"history":[{"kind":"message","messageId":"m","role":"user","metadata":{},"referenceTaskIds":["r"],
		"parts":[{"kind":"text","text":"hi"}]}]}`
	fresh := `{"id":"t","contextId":"c","metadata":{"sessionId":"s"},"status":{"state":"TASK_STATE_INPUT_REQUIRED",
		"timestamp":"2026-11-25T12:00:00.005Z","message":{"messageId":"q","role":"ROLE_AGENT","taskId":"t","contextId":"c",
		"parts":[{"text":"Which?"}]}},"artifacts":[{"artifactId":"a","name":"answer","parts":[{"text":"x"},{"data":1},
		{"raw":"eA==","filename":"f","mediaType":"m"},{"url":"u"}]}],
		"history":[{"messageId":"m","role":"ROLE_USER","metadata":{},"referenceTaskIds":["r"],"parts":[{"text":"hi"}]}]}`
	require.JSONEq(t, old, asJSON(t, a2a.V03.Task(task())))
	require.JSONEq(t, old, asJSON(t, a2a.V03.Answer(task())))
	require.JSONEq(t, fresh, asJSON(t, a2a.V1.Task(task())))
	require.JSONEq(t, `{"task":`+fresh+`}`, asJSON(t, a2a.V1.Answer(task())))
	for version, result := range map[a2a.Version]any{a2a.V03: a2a.V03.Answer(task()), a2a.V1: a2a.V1.Answer(task()),
		"1.0 ": a2a.V1.Task(task())} {
		if version == "1.0 " {
			version = a2a.V1
		}
		got, fault := version.ReadAnswer("1", []byte(asJSON(t, a2a.Result(json.RawMessage(`"1"`), result))))
		require.Nil(t, fault)
		want := task()
		want.History, want.Metadata = nil, nil
		want.Artifacts[0].Parts[3].File.Bytes = []byte{}
		require.Equal(t, &want, got.Task)
	}
	require.JSONEq(t, `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-25T12:00:00.005Z"}}`,
		asJSON(t, a2a.V1.Task(a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: a2a.Working, At: at}})))
	require.JSONEq(t, `{"tasks":[],"nextPageToken":"n","pageSize":2,"totalSize":3}`, asJSON(t, a2a.Page(nil, "n", 3, 2)))
}

func TestUpdatesInBothVersions(t *testing.T) {
	status := a2a.Update{TaskID: "t", ContextID: "c", Status: &a2a.Status{State: a2a.Completed, At: at}}
	require.JSONEq(t, `{"kind":"status-update","taskId":"t","contextId":"c","final":true,"status":{"state":"completed",
		"timestamp":"2026-11-25T12:00:00.005Z"}}`, asJSON(t, a2a.V03.Update(status)))
	require.JSONEq(t, `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED",
		"timestamp":"2026-11-25T12:00:00.005Z"}}}`, asJSON(t, a2a.V1.Update(status)))
	status.Status.State = a2a.Working
	require.Contains(t, asJSON(t, a2a.V03.Update(status)), `"final":false`)
	made := a2a.Update{TaskID: "t", ContextID: "c", Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{{Text: "x"}}}, Append: true}
	require.JSONEq(t, `{"kind":"artifact-update","taskId":"t","contextId":"c","append":true,"lastChunk":false,"artifact":{"artifactId":"a",
		"parts":[{"kind":"text","text":"x"}]}}`, asJSON(t, a2a.V03.Update(made)))
	made.Append, made.Last = false, true
	require.JSONEq(t, `{"artifactUpdate":{"taskId":"t","contextId":"c","append":false,"lastChunk":true,"artifact":{"artifactId":"a",
		"parts":[{"text":"x"}]}}}`, asJSON(t, a2a.V1.Update(made)))
	whole := task()
	require.JSONEq(t, asJSON(t, a2a.V1.Answer(whole)), asJSON(t, a2a.V1.Update(a2a.Update{Task: &whole})))
}

func TestFaultsInBothVersions(t *testing.T) {
	require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no"}}`,
		asJSON(t, a2a.V03.Refused(nil, a2a.Refuse(a2a.TaskNotFound, "no"))))
	require.JSONEq(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"no","data":[{"@type":
		"type.googleapis.com/google.rpc.ErrorInfo",
		"reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`,
		asJSON(t, a2a.V1.Refused(json.RawMessage("7"), a2a.Refuse(a2a.TaskNotFound, "no"))))
	full := &a2a.Error{Code: a2a.InternalError, Message: "full", Reason: "QUEUE_FULL", After: 10}
	require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"full","data":{"reason":"QUEUE_FULL","retryAfterMs":10}}}`,
		asJSON(t, a2a.V03.Refused(nil, full)))
	require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"full","data":[{"@type":
		"type.googleapis.com/google.rpc.ErrorInfo","reason":"QUEUE_FULL","domain":"parley","metadata":{"retryAfterMs":"10"}}]}}`,
		asJSON(t, a2a.V1.Refused(nil, full)))
	wrong := a2a.Fault("message.parts", "must be at most %d", 100)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"message.parts must be at most 100",
		"data":{"field":"message.parts"}}}`, asJSON(t, a2a.V03.Refused(nil, wrong)))
	require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"message.parts must be at most 100","data":[{"@type":
		"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.parts","description":
		"message.parts must be at most 100"}]}]}}`, asJSON(t, a2a.V1.Refused(nil, wrong)))
}

func TestPushesInBothVersions(t *testing.T) {
	p := a2a.Push{ID: "p", TaskID: "t", URL: "u", Token: "k", Scheme: "Bearer", Credentials: "c"}
	require.JSONEq(t, `{"taskId":"t","pushNotificationConfig":{"id":"p","url":"u","token":"k","authentication":{"schemes":["Bearer"],
		"credentials":"c"}}}`, asJSON(t, a2a.V03.Push(p)))
	one := `{"taskId":"t","id":"p","url":"u","token":"k","authentication":{"scheme":"Bearer","credentials":"c"}}`
	require.JSONEq(t, one, asJSON(t, a2a.V1.Push(p)))
	require.JSONEq(t, `{"configs":[`+one+`]}`, asJSON(t, a2a.V1.Pushes([]a2a.Push{p})))
	require.JSONEq(t, `[]`, asJSON(t, a2a.V03.Pushes(nil)))
}

func TestVersionsMethodsAndStates(t *testing.T) {
	for named, want := range map[string]a2a.Version{"": a2a.V03, "0.3": a2a.V03, "0.3.0": a2a.V03, " 1.0 ": a2a.V1, "1.0.1": a2a.V1} {
		got, fault := a2a.VersionOf(named)
		require.Nil(t, fault, named)
		require.Equal(t, want, got, named)
	}
	for _, named := range []string{"1", "0.2", "2.0", "x"} {
		_, fault := a2a.VersionOf(named)
		require.NotNil(t, fault, named)
		require.Equal(t, a2a.VersionNotSupported, fault.Code)
	}
	for _, v := range []a2a.Version{a2a.V03, a2a.V1} {
		for _, m := range []a2a.Method{a2a.SendMessage, a2a.Stream, a2a.GetTask, a2a.CancelTask, a2a.Subscribe, a2a.SetPush, a2a.GetPush,
			a2a.ListPushes, a2a.DeletePush, a2a.GetCard} {
			got, fault := v.Method(v.Name(m))
			require.Nil(t, fault)
			require.Equal(t, m, got)
		}
		_, fault := v.Method("nothing")
		require.Equal(t, a2a.MethodNotFound, fault.Code)
		for _, s := range []a2a.State{a2a.Submitted, a2a.Working, a2a.InputRequired, a2a.AuthRequired, a2a.Completed, a2a.Canceled, a2a.Failed,
			a2a.Rejected} {
			require.Equal(t, s, v.StateOf(v.StateName(s)))
			require.Equal(t, s != a2a.Submitted && s != a2a.Working, s.Pauses(), s)
			require.Equal(t, s.Pauses() && s != a2a.InputRequired && s != a2a.AuthRequired, s.Terminal(), s)
		}
		require.Equal(t, a2a.Unknown, v.StateOf("else"))
	}
	require.Empty(t, a2a.V03.Name(a2a.ListTasks))
}

// Given what other agents answer, then it is read for what it is, or it is said that it is nothing.
func TestAnswersOfOthers(t *testing.T) {
	got, fault := a2a.V03.ReadAnswer("i", []byte(`{"id":"i","result":{"kind":"message","messageId":"m","role":"agent","contextId":"c",
		"parts":[{"kind":"text","text":"hi"}]}}`))
	require.Nil(t, fault)
	require.Equal(t, &a2a.Message{ID: "m", ByAgent: true, ContextID: "c", Parts: []a2a.Part{{Text: "hi"}}}, got.Message)
	got, fault = a2a.V1.ReadAnswer("i", []byte(`{"id":"i","result":{"message":{"messageId":"m","role":"ROLE_AGENT",
		"parts":[{"text":"hi"}]}}}`))
	require.Nil(t, fault)
	require.Equal(t, "hi", got.Message.Parts[0].Text)
	got, fault = a2a.V1.ReadAnswer("i", []byte(`{"id":null,"error":{"code":-32001,"message":"no"}}`))
	require.Nil(t, fault, "a request that cannot be read has no id for who refuses it")
	require.Equal(t, &a2a.Error{Code: -32001, Message: "no"}, got.Refused)
	for _, id := range []string{`"id":"j",`, `"id":7,`, `"id":null,`, ``} {
		_, fault = a2a.V1.ReadAnswer("i", []byte(`{`+id+`"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}}`))
		require.NotNil(t, fault, id)
	}
	_, fault = a2a.V1.ReadAnswer("i", []byte(`{"id":"j","error":{"code":-32001,"message":"no"}}`))
	require.NotNil(t, fault)
	for _, body := range []string{"x", `{}`, `{"id":"i","result":7}`, `{"id":"i","result":{"kind":"task"}}`,
		`{"id":"i","result":{"kind":"message"}}`, `{"id":"i","result":{"id":"t","artifacts":[{}]}}`} {
		_, fault := a2a.V03.ReadAnswer("i", []byte(body))
		require.NotNil(t, fault, body)
	}
	text, data := a2a.Said([]a2a.Part{{Text: "a"}, {Data: json.RawMessage("1")}, {Text: " "}, {File: &a2a.File{}}, {Text: "b"}})
	require.Equal(t, "a\nb", text)
	require.Equal(t, []json.RawMessage{json.RawMessage("1")}, data)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":"i","method":"tasks/get","params":{"id":"t"}}`,
		asJSON(t, a2a.V03.Ask("i", a2a.GetTask, a2a.Named("t"))))
	m := a2a.Message{ID: "m", Parts: []a2a.Part{{Text: "x"}}}
	for _, v := range []a2a.Version{a2a.V03, a2a.V1} {
		sent, fault := v.ReadSending(json.RawMessage(asJSON(t, v.Send(m))))
		require.Nil(t, fault)
		require.Equal(t, m, sent.Message)
		require.True(t, sent.Wait && sent.TakesText())
	}
}
