package story

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/show"
)

func TestWordsOfAnEvent(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"calls.requested", `{"target":"tel:+1","caller":"15550100"}`, "tel:+1 from 15550100"},
		{"calls.answered", `{"connectDurationMs":2831}`, "after 2.8 s"},
		{"calls.said", `{"text":"Good day!"}`, "“Good day!”"}, {"calls.heard", `{"number":1,"text":"Hello"}`, "“Hello”"},
		{"calls.amd-detected", `{"result":"amd_stopped"}`, "amd_stopped"},
		{"calls.amd-detected", `{"result":"amd_human_detected","reason":"short greeting","greeting":"Hello"}`,
			"amd_human_detected (short greeting): “Hello”"},
		{"calls.completed", `{"durationMs":9974,"by":"caller","cause":"hung up","verdict":"amd_human_detected"}`,
			"10.0 s, ended by caller: hung up, amd_human_detected"},
		{"calls.failed", `{"reason":"486 Busy Here"}`, "486 Busy Here"},
		{"scopes.key-created", `{"tenantId":"acme","scopeName":"main","hash":"h","n":1,"empty":"","list":[],"more":[1],"of":{"a":1},
			"name":"two words","secret":"sealed:v1:abc"}`, `scopeName=main n=1 empty="" list=[] more=[…] of={…} name="two words"`},
		{"calls.ringing", `{"at":"x"}`, ""}, {"x.y", `[1]`, ""}, {"x.y", ``, ""}, {"x.y", `{"a":`, ""}, {"calls.said", `{}`, "“”"},
	} {
		require.Equal(t, c.want, Event{Type: "parley." + c.name + ".v1", Data: []byte(c.data)}.Words(), c.name)
	}
}

func TestNameAndColourOfAnEvent(t *testing.T) {
	for kind, want := range map[string]string{"parley.calls.answered.v1": "calls.answered",
		"parley.scopes.key-created.v12": "scopes.key-created",
		"parley.a.very":                 "a.very", "other": "other"} {
		require.Equal(t, want, Event{Type: kind}.Name())
	}
	for name, want := range map[string]show.Colour{"calls.failed": show.Red, "deliveries.attempt-failed": show.Red,
		"calls.completed":        show.Green,
		"deliveries.undelivered": show.Red, "deliveries.delivered": show.Green, "scopes.key-revoked": show.Yellow,
		"calls.attempt-started": show.Blue, "calls.said": show.Cyan, "calls.ringing": show.Plain} {
		require.Equal(t, want, Colour(name), name)
	}
}

func TestALineFitsTheTerminal(t *testing.T) {
	e, err := Read([]byte(`{"type":"parley.calls.said.v1","stream":"call-39c22114-7683-8f28-bf21-17ea0f1aa7a4",
		"data":{"text":"Hello, this is Acme support"}}`))
	require.NoError(t, err)
	e.Time = time.Date(2026, 11, 23, 2, 57, 34, 933e6, time.Local)
	for width, want := range map[int]string{
		0:  "02:57:34.933  calls.said                call-39c22114-7683-8f28-bf21-17ea0f1aa7a4  “Hello, this is Acme support”\n",
		60: "02:57:34  calls.said          call…a7a4  “Hello, this is Ac…\n",
		80: "02:57:34  calls.said              call-3…1aa7a4  “Hello, this is Acme support”\n",
	} {
		var out bytes.Buffer
		require.NoError(t, Tell(show.On(&out, width, false), e))
		require.Equal(t, want, out.String())
	}
	_, err = Read([]byte("no event"))
	require.ErrorContains(t, err, "reading an event")
}
