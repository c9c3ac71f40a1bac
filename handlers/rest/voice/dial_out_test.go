package voice_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const (
	dialout = "/api/1.1/public/bot/p-1/assist/dialout"
	least   = `{"botId":"p-1","target":"tel:15550001","caller":"15550100"}`
)

// with is the least that can be asked, and more: members as they are written.
func with(members string) string { return strings.TrimSuffix(least, "}") + "," + members + "}" }

// placed is the answer to a dial-out that was taken.
func placed(t *testing.T, got *resttest.Reply) (answer struct{ SID, CallID string }) {
	t.Helper()
	require.Equal(t, 200, got.Status, got.Text)
	got.Decode(t, &answer)
	return answer
}

func TestTheLeastThatADialOutSays(t *testing.T) {
	w, _ := newSwitchboard(t)
	got := w.Ask("POST", dialout, least)
	answer := placed(t, got)

	first := w.Events.Accepted()[0]
	require.Equal(t, []string{"acme", "user:ada@crm", got.Header.Get("X-Request-Id"), calls.Calls.Stream(answer.CallID)},
		[]string{first.Tenant, first.Actor, first.CorrelationID, first.Stream})
	require.Equal(t, calls.Requested{CallID: answer.CallID, SID: answer.SID, TenantID: "acme", AccountID: "acme", ProjectID: "p-1",
		BotID:  "p-1",
		Target: "tel:+15550001", OurNumber: "15550100", TimeoutInMs: 60_000, Trunk: "main", Provider: "carrier", Timers: calls.DefaultTimers(),
		MachineDetection: calls.DetectionDisabled, ThresholdWordCount: 9,
		Flow: calls.Flow{ID: "cf-1", Name: "renewals", AgentName: "greeter", StartText: "Hello", Language: "en-US"},
		At:   w.Now, DialBy: w.Now.Add(time.Minute)}, resttest.Only[calls.Requested](w, calls.Calls.Category))
	require.NotEqual(t, answer.SID, answer.CallID)
	require.NoError(t, uuid.Validate(answer.SID))
	require.NoError(t, uuid.Validate(answer.CallID))
}

func TestEverythingThatADialOutSays(t *testing.T) {
	w, _ := newSwitchboard(t)
	answer := placed(t, w.Ask("POST", "/api/1.1/public/bot/main/assist/dialout", `{"botId":"p-1","target":"sip:ann@PBX.example",
		"caller":"15550199","notifyurl":"https://crm.example/n?token=hush","notifyHeaders":{"authorization":"Bearer hush"},
		"timeoutInMs":1500,"trunk":"spare","metadata":{"n":12345678901234567890.10, "who":null},
		"timers":{"noSpeechTimeoutMs":1,"decisionTimeoutMs":2,"toneTimeoutMs":3,"greetingCompletionTimeoutMs":4},
		"machineDetection":"detect","thresholdWordCount":5,"amdEventsSubscription":["amd_human_detected"],
		"callControlParameter":{"sttProvider":"deepgram","sttLanguage":"de-DE"},"other":"hush"}`))
	raw := string(w.Events.Accepted()[0].Data)
	require.NotContains(t, raw, "hush", "what is secret, and what nobody asked for, is not on the log")
	require.Equal(t, calls.Requested{CallID: answer.CallID, SID: answer.SID, TenantID: "acme", AccountID: "acme", ProjectID: "p-1",
		BotID:  "p-1",
		Target: "sip:ann@pbx.example", OurNumber: "15550199", NotifyURL: "https://crm.example/n",
		NotifyURLSealed: "sealed for acme of https://crm.example/n", NotifyHeadersSealed: "sealed for acme",
		TimeoutInMs: 1500, Trunk: "spare", Provider: "other", Metadata: json.RawMessage(`{"n":12345678901234567890.10,"who":null}`),
		Timers:           calls.Timers{NoSpeechTimeoutMs: 1, DecisionTimeoutMs: 2, ToneTimeoutMs: 3, GreetingCompletionTimeoutMs: 4},
		MachineDetection: calls.DetectionDetect, ThresholdWordCount: 5, AmdEventsSubscription: []calls.Result{calls.AmdHumanDetected},
		CallControlParameter: &calls.CallControlParameter{STTProvider: "deepgram", STTLanguage: "de-DE"},
		At:                   w.Now, DialBy: w.Now.Add(time.Minute)}, resttest.Only[calls.Requested](w, calls.Calls.Category))
}

// What is said in another way, or not at all, means the same.
func TestWaysToSayTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		is   func(calls.Requested) any
		want any
	}{
		"notifyUrl": {with(`"notifyUrl":"https://a.example/"`), func(r calls.Requested) any { return r.NotifyURL },
			"https://a.example/"},
		"notifyurl twice": {with(`"notifyurl":"https://a.example/","notifyUrl":"https://a.example/"`), func(r calls.Requested) any {
			return r.NotifyURL
		}, "https://a.example/"},
		"a URL without a secret": {with(`"notifyurl":"https://a.example/"`), func(r calls.Requested) any { return r.NotifyURLSealed }, ""},
		"machinedetection": {with(`"machinedetection":"detect"`), func(r calls.Requested) any { return r.MachineDetection },
			calls.DetectionDetect},
		"both machine detections": {with(`"machinedetection":"detect","machineDetection":"detect"`), func(r calls.Requested) any {
			return r.MachineDetection
		}, calls.DetectionDetect},
		"no headers":       {with(`"notifyHeaders":{}`), func(r calls.Requested) any { return r.NotifyHeadersSealed }, ""},
		"metadata of null": {with(`"metadata":null`), func(r calls.Requested) any { return r.Metadata }, json.RawMessage(nil)},
		"no subscription": {with(`"amdEventsSubscription":null`), func(r calls.Requested) any { return r.AmdEventsSubscription },
			[]calls.Result(nil)},
		"a subscription to nothing": {with(`"amdEventsSubscription":[]`), func(r calls.Requested) any { return r.AmdEventsSubscription },
			[]calls.Result{}},
		"a bot by its alias": {strings.Replace(least, `"p-1"`, `"main"`, 1), func(r calls.Requested) any { return r.ProjectID }, "p-1"},
		"a caller without a flow": {strings.Replace(least, "15550100", "15550199", 1), func(r calls.Requested) any { return r.Flow },
			calls.Flow{}},
		"a whole number with a dot":  {with(`"timeoutInMs":5000.0`), func(r calls.Requested) any { return r.TimeoutInMs }, 5000},
		"the longest wait":           {with(`"timeoutInMs":300000`), func(r calls.Requested) any { return r.TimeoutInMs }, 300_000},
		"the shortest wait":          {with(`"timeoutInMs":1000`), func(r calls.Requested) any { return r.TimeoutInMs }, 1000},
		"an empty trunk is the main": {with(`"trunk":""`), func(r calls.Requested) any { return r.Trunk }, "main"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newSwitchboard(t)
			placed(t, w.Ask("POST", dialout, c.body))
			require.Equal(t, c.want, c.is(resttest.Only[calls.Requested](w, calls.Calls.Category)))
		})
	}
}

// An agent whose source cannot be read at the moment says nothing; the call is placed.
func TestAnAgentThatIsBeingEditedSaysNothing(t *testing.T) {
	w, b := newSwitchboard(t)
	for _, source := range []string{"ON_START: [", "", "NAME: greeter"} {
		b.agent = source
		placed(t, w.Ask("POST", dialout, least))
		require.Equal(t, calls.Flow{ID: "cf-1", Name: "renewals", AgentName: "greeter", Language: "en-US"},
			resttest.Only[calls.Requested](w, calls.Calls.Category).Flow)
	}
}

func TestWhatIsWrongWithADialOut(t *testing.T) {
	w, _ := newSwitchboard(t)
	for body, fields := range map[string][]string{
		`{}`:                         {"botId", "caller", "target"},
		``:                           {"body"},
		with(`"timeoutInMs":999`):    {"timeoutInMs"},
		with(`"timeoutInMs":300001`): {"timeoutInMs"},
		with(`"timeoutInMs":1.5`):    {"timeoutInMs"},
		with(`"trunk":"unknown"`):    {"trunk"},
		with(`"trunk":"unknown","timeoutInMs":1,"notifyurl":"ftp://a","thresholdWordCount":101,"metadata":[]`): {"metadata", "notifyurl",
			"thresholdWordCount", "timeoutInMs", "trunk"},
		with(`"notifyurl":"http://10.0.0.1/"`): {"notifyurl"},
		with(`"notifyUrl":"http://10.0.0.1/"`): {"notifyurl"},
		with(`"notifyurl":""`):                 {"notifyurl"}, with(`"notifyUrl":""`): {"notifyurl"},
		with(`"notifyurl":"","notifyUrl":"https://a.example/"`):                   {"notifyurl"},
		with(`"notifyurl":"ftp://10.0.0.1/"`):                                     {"notifyurl"},
		with(`"notifyurl":"https://a.example/","notifyUrl":"https://b.example/"`): {"notifyurl"},
		with(`"machineDetection":"detect","machinedetection":"disconnect"`):       {"machineDetection"},
		with(`"machineDetection":"on"`):                                           {"machineDetection"},
		with(`"machinedetection":"on"`):                                           {"machinedetection"},
		with(`"notifyHeaders":{"host":"x"}`):                                      {"notifyHeaders"},
		with(`"amdEventsSubscription":["amd_cat_detected"]`):                      {"amdEventsSubscription"},
		with(`"callControlParameter":{}`): {"callControlParameter.sttLanguage",
			"callControlParameter.sttProvider"},
		strings.Replace(least, `"p-1"`, `"p-9"`, 1):     {"botId"},
		strings.Replace(least, `"p-1"`, `"p-2"`, 1):     {"botId"},
		strings.Replace(least, `"p-1"`, `"unknown"`, 1): {"botId"},
	} {
		got := w.Ask("POST", dialout, body)
		w.Refused(got, 400, fields...)
		require.Equal(t, fault.Validation, got.Code(), body)
	}
}

// The problem is said in words that name what to mend.
func TestWordsOfRefusedDialOuts(t *testing.T) {
	w, _ := newSwitchboard(t)
	for body, problem := range map[string]string{
		strings.Replace(least, `"p-1"`, `"p-9"`, 1):                               "differs from the bot in the path",
		with(`"trunk":"unknown"`):                                                 "is not a trunk of the account",
		with(`"notifyurl":"http://10.0.0.1/"`):                                    "leads to a private address",
		with(`"notifyurl":"https://a.example/","notifyUrl":"https://b.example/"`): "is given in two spellings with two values",
	} {
		details := w.Ask("POST", dialout, body).Refusal.Error.Details
		require.Len(t, details, 1, body)
		require.Equal(t, problem, details[0].Problem)
	}
}

// Of several things that are wrong the first of the order is answered.
func TestWhatADialOutIsRefusedFirst(t *testing.T) {
	path := func(bot string) string { return "/api/1.1/public/bot/" + bot + "/assist/dialout" }
	w, b := newSwitchboard(t)
	unscoped := w.World.Token(func(g *tokens.Grant) { g.Scopes, g.Permissions = nil, nil })
	for _, c := range []struct {
		name, path, body, token string
		status                  int
		code                    fault.Code
	}{
		{"no JSON, no credential", path("unknown"), `{`, "", 400, fault.BadRequest},
		{"no credential, no bot", path("unknown"), `{}`, "", 401, fault.Unauthorized},
		{"no scope, no bot", path("unknown"), `{}`, unscoped, 403, fault.Forbidden},
		{"no bot, wrong fields", path("unknown"), `{}`, w.Token, 404, fault.NotFound},
		{"another tenant's bot", path("p-2"), least, w.Token, 404, fault.NotFound},
		{"wrong fields, no setup", dialout, with(`"timeoutInMs":1`), w.Token, 500, fault.Internal},
	} {
		b.down = errors.New("relation calls does not exist")
		var headers []string
		if c.token != "" {
			headers = []string{"auth", c.token}
		}
		got := w.Call("POST", c.path, c.body, headers...)
		w.Refused(got, c.status)
		require.Equal(t, c.code, got.Code(), c.name)
		require.NotContains(t, got.Text, "relation")
	}
	b.down = nil
	w.Refused(w.Call("POST", dialout, least, "x-api-key", resttest.FullKey), 401)
	for _, secret := range []string{`"notifyHeaders":{"x-vault":"a"}`, `"notifyurl":"https://crm.example/?vault"`} {
		w.Refused(w.Ask("POST", dialout, with(secret)), 500)
	}
}

// What is another tenant's stays the other tenant's.
func TestTenantsDialOutInTheirOwnProjects(t *testing.T) {
	w, _ := newSwitchboard(t)
	w.Token = w.Grant("globex", []access.ClientScope{access.ScopeAssistDialout})
	w.Refused(w.Ask("POST", dialout, least), 404)
	placed(t, w.Ask("POST", "/api/1.1/public/bot/p-2/assist/dialout", strings.Replace(least, "p-1", "p-2", 1)))
	first := w.Events.Accepted()[0]
	e := resttest.Only[calls.Requested](w, calls.Calls.Category)
	require.Equal(t, []string{"globex", "globex", "globex", "p-2"}, []string{first.Tenant, e.TenantID, e.AccountID, e.ProjectID})
	require.Equal(t, []string{"", calls.ProviderLocal}, []string{e.Trunk, e.Provider}, "who has no trunk is served by the simulated carrier")
}

func TestARepeatedDialOutIsOneCall(t *testing.T) {
	w, _ := newSwitchboard(t)
	first := placed(t, w.Ask("POST", dialout, least, "Idempotency-Key", "one"))
	w.Events.Forget() // as on another node
	w.Now = w.Now.Add(time.Hour)
	got := w.Ask("POST", dialout, `{"caller":"15550100", "target":"tel:15550001","botId":"p-1"}`, "Idempotency-Key", "one")
	require.Equal(t, first, placed(t, got), "the order of members makes no difference")
	require.Equal(t, "true", got.Header.Get("Idempotency-Replayed"))
	require.Len(t, w.Since(), 1)

	got = w.Ask("POST", dialout, with(`"timeoutInMs":5000`), "Idempotency-Key", "one")
	w.Refused(got, 409)
	require.Equal(t, fault.Conflict, got.Code())

	for _, key := range []string{"two", ""} {
		headers := []string{"Idempotency-Key", key}
		if key == "" {
			headers = nil
		}
		got = w.Ask("POST", dialout, least, headers...)
		require.NotEqual(t, first.CallID, placed(t, got).CallID)
		require.Empty(t, got.Header.Get("Idempotency-Replayed"))
		require.Len(t, w.Since(), 1)
	}
}

// A refusal binds no key.
func TestARefusedDialOutBindsNoKey(t *testing.T) {
	w, _ := newSwitchboard(t)
	w.Refused(w.Ask("POST", dialout, with(`"timeoutInMs":1`), "Idempotency-Key", "one"), 400, "timeoutInMs")
	placed(t, w.Ask("POST", dialout, with(`"timeoutInMs":1000`), "Idempotency-Key", "one"))
}

func TestADialOutAnsweredEarly(t *testing.T) {
	w, _ := newSwitchboard(t)
	for _, bot := range []string{"p-1", "main"} {
		got := w.Ask("POST", "/api/1.1/public/bot/"+bot+"/assist/dialout", least, "Prefer", "wait=1, Respond-Async")
		require.Equal(t, 202, got.Status, got.Text)
		var answer struct{ SID, CallID string }
		got.Decode(t, &answer)
		require.Equal(t, "/api/1.1/public/bot/"+bot+"/assist/dialout/"+answer.CallID, got.Header.Get("Location"))
		require.Equal(t, "respond-async", got.Header.Get("Preference-Applied"))
		require.Eventually(t, func() bool { return len(w.Events.Accepted()) > 0 }, resttest.WaitLong, resttest.WaitStep)
		e := resttest.Only[calls.Requested](w, calls.Calls.Category)
		require.Equal(t, []string{answer.SID, answer.CallID}, []string{e.SID, e.CallID})
	}
	w.Refused(w.Ask("POST", dialout, with(`"timeoutInMs":1`), "Prefer", "respond-async"), 400, "timeoutInMs")

	got := w.Ask("POST", dialout, least)
	require.Equal(t, 200, got.Status)
	require.Empty(t, got.Header.Get("Location"), "nobody asked for it")
}

// A repeat of what is known is answered as any other, whatever it prefers.
func TestAnEarlyAnswerRepeated(t *testing.T) {
	w, _ := newSwitchboard(t)
	first := placed(t, w.Ask("POST", dialout, least, "Idempotency-Key", "one"))
	got := w.Ask("POST", dialout, least, "Idempotency-Key", "one", "Prefer", "respond-async")
	require.Equal(t, first, placed(t, got))
	require.Equal(t, "true", got.Header.Get("Idempotency-Replayed"))
}

// The caller learns whether it may repeat: nothing was written, or nobody knows.
func TestADialOutThatTheLogDoesNotTake(t *testing.T) {
	w, _ := newSwitchboard(t)
	away := func([]*eventstore.Record) error { return errors.New("no leader") }
	w.Events.Fail(memory.Faults{Append: away})
	got := w.Ask("POST", dialout, least)
	w.Refused(got, 503)
	require.Equal(t, fault.NotExecuted, got.Code())

	w.Events.Fail(memory.Faults{Verdict: away})
	got = w.Ask("POST", dialout, least, "Idempotency-Key", "one")
	require.Equal(t, fault.OutcomeUnknown, got.Code(), got.Text)
	require.Len(t, w.Since(), 1)
	w.Events.Fail(memory.Faults{})
	w.Events.Forget()
	placed(t, w.Ask("POST", dialout, least, "Idempotency-Key", "one"))
	require.Empty(t, w.Since(), "the repeat finds the first")
}

func TestTargetsOfDialOut(t *testing.T) {
	w, _ := newSwitchboard(t)
	for given, stored := range map[string]string{"tel:+49-30-123": "tel:+4930123", "sip:a@[2001:db8::1]:5060": "sip:a@[2001:db8::1]:5060"} {
		placed(t, w.Ask("POST", dialout, fmt.Sprintf(`{"botId":"p-1","target":%q,"caller":"1"}`, given)))
		require.Equal(t, stored, resttest.Only[calls.Requested](w, calls.Calls.Category).Target)
	}
	for _, bad := range []string{"", "15550001", "tel:12", "sip:pbx.example", "mailto:a@b.example"} {
		w.Refused(w.Ask("POST", dialout, fmt.Sprintf(`{"botId":"p-1","target":%q,"caller":"1"}`, bad)), 400, "target")
	}
}
