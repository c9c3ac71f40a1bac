package node_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// Nobody dials in this world: what is asked for stays as it was asked for.
func TestDialOut(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	for name, test := range map[string]func(*testing.T, *callWorld){
		"the least that can be said":     leastDialOut,
		"every field is stored":          everyFieldIsStored,
		"targets":                        dialOutTargets,
		"limits":                         dialOutLimits,
		"faults of fields":               dialOutFaults,
		"amdEventsSubscription":          dialOutSubscriptions,
		"bots":                           dialOutBots,
		"private addresses":              dialOutPrivateAddresses,
		"credentials":                    dialOutCredentials,
		"bodies that are no JSON object": dialOutMalformed,
		"a body of one megabyte":         dialOutMegabyte,
		"idempotency keys":               dialOutKeys,
		"one key from many at once":      dialOutKeysAtOnce,
	} {
		t.Run(name, func(t *testing.T) { test(t, w) })
	}
	t.Run("a key after a restart", func(t *testing.T) {
		first := w.ask(t, "POST", dialOutPath, aCall(), "Idempotency-Key", "restart").must(t, 200)
		w.restart(t)
		again := w.ask(t, "POST", dialOutPath, aCall(), "Idempotency-Key", "restart").must(t, 200)
		require.JSONEq(t, first.Text, again.Text)
		require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		w.ask(t, "POST", dialOutPath, aCall().and(fields{"timeoutInMs": 5000}), "Idempotency-Key", "restart").refused(t, 409, fault.Conflict)
	})
}

func leastDialOut(t *testing.T, w *callWorld) {
	r := w.ask(t, "POST", dialOutPath, aCall())

	require.Equal(t, http.StatusOK, r.Status)
	var members map[string]string
	r.into(t, &members)
	require.Len(t, members, 2, "sid and callId, nothing else")
	require.NoError(t, uuid.Validate(members["sid"]))
	require.NoError(t, uuid.Validate(members["callId"]))
	require.Regexp(t, "^tr-", r.Header.Get("X-Request-Id"))
	require.NotEmpty(t, r.Header.Get("X-RateLimit-Limit"))

	s := w.call(t, members["callId"])
	require.Equal(t, calls.PhaseRequested, s.Phase)
	q := s.Request
	require.Equal(t, members["sid"], q.SID)
	require.Equal(t, 60_000, q.TimeoutInMs)
	require.Equal(t, "main", q.Trunk, "the default carrier of the account")
	require.Equal(t, calls.DetectionDisabled, q.MachineDetection)
	require.Equal(t, 9, q.ThresholdWordCount)
	require.Equal(t, calls.DefaultTimers(), q.Timers)
	require.Nil(t, q.AmdEventsSubscription)
	require.Nil(t, q.CallControlParameter)
	require.Equal(t, calls.Flow{ID: "cf-main", Name: "main", AgentName: "greeter", StartText: callGreeting, Language: "en-US"}, q.Flow)
	require.Equal(t, "cf-main", w.call(t, w.dialOut(t, aCall().and(fields{"caller": "+" + callCaller})).CallID).Request.Flow.ID,
		"the number with a +")
	first := w.events(t, calls.Calls.Stream(members["callId"]))[0]
	require.Equal(t, r.Header.Get("X-Request-Id"), first.CorrelationID)
	require.Equal(t, "user:ada@"+testClient, first.Actor)
	require.Equal(t, w.one.id, first.Tenant)
}

func everyFieldIsStored(t *testing.T, w *callWorld) {
	p := w.dialOut(t, `{"botId":"bot","target":"tel:15550000002","caller":"15550199","notifyurl":"https://dialer.example/n?a=1",
		"notifyHeaders":{"Authorization":"Bearer of-the-dialer","X-Env":"test"},"timeoutInMs":1500,"trunk":"spare",
		"metadata":{"amount":12345678901234567890.10,"customer":{"name":"Zoë <z@example.org>"},"list":[1,null,true]},
		"timers":{"noSpeechTimeoutMs":1,"decisionTimeoutMs":2,"toneTimeoutMs":3,"greetingCompletionTimeoutMs":4},
		"machineDetection":"disconnect","thresholdWordCount":5,"amdEventsSubscription":["amd_human_detected"],
		"callControlParameter":{"sttProvider":"deepgram","sttLanguage":"de-DE","interim":false,"sttLabel":"main","continuousASRTimeoutInMS":2000,
		"deepgramUtteranceEndMs":1000,"deepgramEndpointing":0},"somethingElse":{"is":"ignored"}}`)

	q := w.call(t, p.CallID).Request
	require.Equal(t, "tel:+15550000002", q.Target)
	require.Equal(t, "15550199", q.OurNumber)
	require.Equal(t, "https://dialer.example/n", q.NotifyURL)
	require.NotEmpty(t, q.NotifyURLSealed)
	require.Equal(t, 1500, q.TimeoutInMs)
	require.Equal(t, "spare", q.Trunk)
	require.Equal(t, `{"amount":12345678901234567890.10,"customer":{"name":"Zoë <z@example.org>"},"list":[1,null,true]}`, string(q.Metadata))
	require.Equal(t, calls.Timers{NoSpeechTimeoutMs: 1, DecisionTimeoutMs: 2, ToneTimeoutMs: 3, GreetingCompletionTimeoutMs: 4}, q.Timers)
	require.Equal(t, calls.DetectionDisconnect, q.MachineDetection)
	require.Equal(t, 5, q.ThresholdWordCount)
	require.Equal(t, []calls.Result{calls.AmdHumanDetected}, q.AmdEventsSubscription)
	require.Equal(t, &calls.CallControlParameter{STTProvider: "deepgram", STTLanguage: "de-DE", Interim: new(false), STTLabel: "main",
		ContinuousASRTimeoutInMS: new(2000), DeepgramUtteranceEndMs: new(1000), DeepgramEndpointing: new(0)}, q.CallControlParameter)
	require.Equal(t, calls.Flow{}, q.Flow, "no flow has the caller's number")

	event := string(w.events(t, calls.Calls.Stream(p.CallID))[0].Data)
	require.NotEmpty(t, q.NotifyHeadersSealed)
	require.NotContains(t, event, "of-the-dialer", "headers are secrets")
	require.NotContains(t, event, "somethingElse")
}

func dialOutTargets(t *testing.T, w *callWorld) {
	for given, stored := range map[string]string{
		"tel:+4930123456": "tel:+4930123456", "tel:4930123456": "tel:+4930123456", "TEL:+49-30-123": "tel:+4930123", "tel:123": "tel:+123",
		"tel:+123456789012345": "tel:+123456789012345",
		"sip:ann@pbx.example":  "sip:ann@pbx.example", "sip:ann@PBX.example:5080": "sip:ann@pbx.example:5080",
		"sip:+4930@10.0.0.7": "sip:+4930@10.0.0.7", "sip:a@[2001:db8::1]:5060": "sip:a@[2001:db8::1]:5060",
	} {
		require.Equal(t, stored, w.call(t, w.dialOut(t, aCall().and(fields{"target": given})).CallID).Request.Target, given)
	}
	for _, bad := range []string{"", "4930123456", "tel:", "tel:+", "tel:12", "tel:+1234567890123456", "tel:+49abc", "sip:", "sip:pbx.example",
		"sip:@pbx.example", "sip:ann@", "sip:ann@pbx:0",
		"sip:ann@pbx:65536", "sips:ann@pbx.example", "mailto:ann@pbx.example", "sip:ann@pbx.example;transport=tcp", "sip:a b@pbx.example"} {
		dialOutRefused(t, w, fields{"target": bad}, "target")
	}
}

func dialOutLimits(t *testing.T, w *callWorld) {
	within := []fields{{"timeoutInMs": 1000}, {"timeoutInMs": 300_000}, {"timeoutInMs": json.RawMessage("6e4")},
		{"timeoutInMs": json.RawMessage("5000.0")},
		{"thresholdWordCount": 1}, {"thresholdWordCount": 100},
		{"notifyHeaders": fields{}}, {"notifyHeaders": fields{"x": strings.Repeat("v", 8192)}}, {"caller": strings.Repeat("1", 64)},
		{"metadata": fields{}}, {"timers": fields{}}, {"notifyHeaders": headerCount(64)}, {"notifyurl": "https://h.example/" + strings.Repeat("p",
			2048-18)}}
	past := map[string][]fields{
		"timeoutInMs": {{"timeoutInMs": 999}, {"timeoutInMs": 300_001}, {"timeoutInMs": 0}, {"timeoutInMs": -1}, {"timeoutInMs": 1500.5},
			{"timeoutInMs": json.RawMessage("1e99")}},
		"thresholdWordCount": {{"thresholdWordCount": 0}, {"thresholdWordCount": -1}, {"thresholdWordCount": 101}, {"thresholdWordCount": 2.5}},
		"caller":             {{"caller": strings.Repeat("1", 65)}, {"caller": "ann smith"}, {"caller": "ann@pbx"}, {"caller": ""}},
		"notifyurl": {{"notifyurl": "https://h.example/" + strings.Repeat("p", 2049-18)}, {"notifyurl": "/relative"},
			{"notifyurl": "ftp://h.example"}, {"notifyurl": "https://"}, {"notifyurl": "https://u:p@h.example"}},
		"notifyHeaders": {{"notifyHeaders": headerCount(65)}, {"notifyHeaders": fields{"x": strings.Repeat("v", 8193)}},
			{"notifyHeaders": fields{"a b": "c"}}, {"notifyHeaders": fields{"": "c"}},
			{"notifyHeaders": fields{"x": "a\r\nHost: b"}}, {"notifyHeaders": fields{"savg-signature": "t=1"}},
			{"notifyHeaders": fields{"HOST": "h"}}, {"notifyHeaders": fields{"content-Length": "1"}}},
	}
	for _, timer := range []string{"noSpeechTimeoutMs", "decisionTimeoutMs", "toneTimeoutMs", "greetingCompletionTimeoutMs"} {
		within = append(within, fields{"timers": fields{timer: 1}}, fields{"timers": fields{timer: 60_000}})
		past["timers."+timer] = []fields{{"timers": fields{timer: 0}}, {"timers": fields{timer: 60_001}}, {"timers": fields{timer: "5"}}}
	}
	for _, optional := range []string{"notifyurl", "notifyUrl", "notifyHeaders", "timeoutInMs", "trunk", "metadata", "timers",
		"machineDetection", "machinedetection", "thresholdWordCount", "amdEventsSubscription", "callControlParameter"} {
		within = append(within, fields{optional: json.RawMessage("null")})
	}
	for _, change := range within {
		w.dialOut(t, aCall().and(change))
	}
	for field, changes := range past {
		for _, change := range changes {
			dialOutRefused(t, w, change, field)
		}
	}
}

func headerCount(n int) fields {
	out := fields{}
	for i := range n {
		out["x-"+strings.Repeat("n", i+1)] = "v"
	}
	return out
}

func dialOutFaults(t *testing.T, w *callWorld) {
	speech := fields{"sttProvider": "deepgram", "sttLanguage": "en-US"}
	for field, changes := range map[string][]fields{
		"botId":              {{"botId": nil}, {"botId": ""}, {"botId": 7}},
		"target":             {{"target": nil}, {"target": 7}, {"target": fields{}}},
		"caller":             {{"caller": nil}, {"caller": 15550100}},
		"notifyurl":          {{"notifyurl": "https://a.example", "notifyUrl": "https://b.example"}},
		"notifyHeaders":      {{"notifyHeaders": "x: y"}, {"notifyHeaders": []string{}}},
		"notifyHeaders.x":    {{"notifyHeaders": fields{"x": 7}}},
		"timeoutInMs":        {{"timeoutInMs": "5000"}, {"timeoutInMs": true}},
		"trunk":              {{"trunk": "unknown"}, {"trunk": 7}},
		"metadata":           {{"metadata": "text"}, {"metadata": []int{1}}, {"metadata": 7}},
		"timers":             {{"timers": []int{1}}, {"timers": 7}},
		"machineDetection":   {{"machineDetection": "detect", "machinedetection": "disabled"}},
		"thresholdWordCount": {{"thresholdWordCount": "9"}},
		"amdEventsSubscription": {{"amdEventsSubscription": "amd_error"}, {"amdEventsSubscription": []string{"amd_unknown"}},
			{"amdEventsSubscription": []string{"amd_error", ""}}},

		"callControlParameter": {{"callControlParameter": "deepgram"}},
		"callControlParameter.sttProvider": {{"callControlParameter": speech.and(fields{"sttProvider": nil})},
			{"callControlParameter": speech.and(fields{"sttProvider": ""})}},
		"callControlParameter.sttLanguage": {{"callControlParameter": speech.and(fields{"sttLanguage": nil})},
			{"callControlParameter": speech.and(fields{"sttLanguage": "english (US)"})}},
		"callControlParameter.interim":                  {{"callControlParameter": speech.and(fields{"interim": "yes"})}},
		"callControlParameter.continuousASRTimeoutInMS": {{"callControlParameter": speech.and(fields{"continuousASRTimeoutInMS": -1})}},
		"callControlParameter.deepgramUtteranceEndMs":   {{"callControlParameter": speech.and(fields{"deepgramUtteranceEndMs": 600_001})}},
		"callControlParameter.deepgramEndpointing":      {{"callControlParameter": speech.and(fields{"deepgramEndpointing": "a"})}},
	} {
		for _, change := range changes {
			dialOutRefused(t, w, change, field)
		}
	}
	for _, wrong := range []fields{{"machineDetection": "on"}, {"machineDetection": "Detect"}, {"machineDetection": true},
		{"machinedetection": "on"}, {"notifyurl": 7}, {"notifyUrl": fields{}}} {
		got := w.ask(t, "POST", dialOutPath, aCall().and(wrong)).must(t, 400)
		for name := range wrong { // its other spelling may be named beside it
			require.Contains(t, got.Text, `"field":"`+name+`"`)
		}
	}
	dialOutRefused(t, w, fields{"timeoutInMs": 1, "target": "tel:x", "notifyurl": "http://10.0.0.1/", "trunk": "unknown"}, "notifyurl",
		"target", "timeoutInMs", "trunk")
	for spelling, value := range map[string]string{"machineDetection": "detect", "machinedetection": "detect"} {
		require.Equal(t, calls.DetectionDetect, w.call(t, w.dialOut(t, aCall().and(fields{spelling: value})).CallID).Request.MachineDetection)
	}
	same := fields{"machineDetection": "detect", "machinedetection": "detect", "notifyurl": "https://a.example/",
		"notifyUrl": "https://a.example/"}
	require.Equal(t, "https://a.example/", w.call(t, w.dialOut(t, aCall().and(same)).CallID).Request.NotifyURL)
}

// dialOutRefused expects a call with the change to be refused for just these fields.
func dialOutRefused(t *testing.T, w *callWorld, change fields, want ...string) {
	t.Helper()
	got := w.ask(t, "POST", dialOutPath, aCall().and(change))
	require.Equal(t, http.StatusBadRequest, got.Status, "%v: %s", change, got.Text)
	got.refused(t, http.StatusBadRequest, fault.Validation, want...)
}

func dialOutSubscriptions(t *testing.T, w *callWorld) {
	for given, stored := range map[string][]calls.Result{
		`null`: nil, `[]`: {}, `["amd_error","amd_stopped"]`: {calls.AmdError, calls.AmdStopped},
	} {
		p := w.dialOut(t, aCall().and(fields{"amdEventsSubscription": json.RawMessage(given)}))
		require.Equal(t, stored, w.call(t, p.CallID).Request.AmdEventsSubscription, given)
	}
}

func dialOutBots(t *testing.T, w *callWorld) {
	path := func(bot string) string { return "/api/1.1/public/bot/" + bot + "/assist/dialout" }
	for bot, want := range map[string]int{mainApp: 200, mainAlias: 200, foreignBot: 404, "unknown": 404, "%20": 404} {
		r := w.ask(t, "POST", path(bot), aCall().and(fields{"botId": bot}))
		require.Equal(t, want, r.Status, "%s: %s", bot, r.Text)
	}
	require.Equal(t, 200, w.ask(t, "POST", path(mainAlias), aCall()).Status, "the alias and the id are one bot")
	for _, other := range []string{otherApp, foreignBot, "unknown"} {
		dialOutRefused(t, w, fields{"botId": other}, "botId")
	}
	w.ask(t, "POST", path("unknown"), `{"timeoutInMs":1}`).refused(t, 404, fault.NotFound) // before faults of fields
}

func dialOutPrivateAddresses(t *testing.T, w *callWorld) {
	for _, url := range []string{"http://10.0.0.1", "http://169.254.169.254/latest", "http://[fd00::1]/", "http://192.168.1.1",
		"http://172.16.0.1", "http://[::ffff:10.0.0.1]/",
		"http://0.0.0.0", "http://[fe80::1]/", "http://100.64.0.1", "http://2130706433/", "http://0x7f.1/"} {
		dialOutRefused(t, w, fields{"notifyurl": url}, "notifyurl")
	}
	for _, url := range []string{"http://localhost:9/n", "http://127.0.0.1:9", "http://[::1]:9", "https://dialer.example"} {
		w.dialOut(t, aCall().and(fields{"notifyurl": url}))
	}
}

// Without --dev a caller's URL may not lead to this host either.
func TestDialOutRefusesLoopbackInProduction(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials, func(c *node.Config) { c.Dev = false })
	for _, url := range []string{"http://localhost:9/n", "http://LOCALHOST./", "http://a.localhost/", "http://127.0.0.1:9", "http://127.8.8.8",
		"http://[::1]:9", "http://10.0.0.1"} {
		dialOutRefused(t, w, fields{"notifyurl": url}, "notifyurl")
	}
	w.dialOut(t, aCall().and(fields{"notifyurl": "https://dialer.example/n"}))
}

func dialOutCredentials(t *testing.T, w *callWorld) {
	now := time.Now()
	claims := jwt.MapClaims{"iss": testClient, "sub": "ada", "accountId": w.one.id, "exp": now.Add(time.Hour).Unix(),
		"scopes": []string{"Assist Dialout"}}
	unsigned, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	require.NoError(t, err)
	forged, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("another secret"))
	require.NoError(t, err)
	stronger, err := jwt.NewWithClaims(jwt.SigningMethodHS512, claims).SignedString([]byte(tokenSecret))
	require.NoError(t, err)
	expired := func(g *tokens.Grant) { g.Issued, g.Expires = now.Add(-2*time.Hour), now.Add(-time.Hour) }
	unscoped := func(g *tokens.Grant) { g.Scopes = []access.ClientScope{access.ScopeRouting} }
	elsewhere := func(g *tokens.Grant) { g.TenantID = "three" }

	for name, c := range map[string]struct {
		header, value string
		want          int
	}{
		"none": {"auth", "", 401}, "not a token": {"auth", "abc", 401}, "alg none": {"auth", unsigned, 401}, "forged": {"auth", forged, 401},
		"another algorithm": {"auth", stronger, 401},
		"expired":           {"auth", w.one.token(t, expired), 401}, "of an unknown account": {"auth", w.one.token(t, elsewhere), 401},
		"without the scope": {"auth", w.one.token(t, unscoped), 403}, "an API key": {"x-api-key", w.one.key(t, mainScope), 401},
		"raw": {"auth", w.auth, 200}, "with Bearer": {"auth", "Bearer " + w.auth, 200}, "in Authorization": {"Authorization", "Bearer " + w.auth,
			200}, "in token": {"token", w.auth, 200},
	} {
		got := w.do(t, "POST", dialOutPath, aCall(), c.header, c.value)
		require.Equal(t, c.want, got.Status, "%s: %s", name, got.Text)
	}
	w.do(t, "POST", dialOutPath, `{"timeoutInMs":1}`).refused(t, 401, fault.Unauthorized)
	theirs := "/api/1.1/public/bot/" + foreignBot + "/assist/dialout"
	w.do(t, "POST", theirs, aCall().and(fields{"botId": foreignBot}), "auth", w.two.token(t)).must(t, 200)
	w.do(t, "POST", theirs, `{"timeoutInMs":1}`, "auth", w.auth).refused(t, 404, fault.NotFound)
}

func dialOutMalformed(t *testing.T, w *callWorld) {
	for _, body := range []string{`{`, `{"botId":}`, `[]`, `"text"`, `null`, `{} {}`, "\xff\xfe", `{"botId":"bot"`} {
		w.do(t, "POST", dialOutPath, body).refused(t, 400, fault.BadRequest) // before 401
	}
	w.ask(t, "POST", dialOutPath, "{}").refused(t, 400, fault.Validation, "botId", "caller", "target")
	w.ask(t, "POST", dialOutPath, nil).refused(t, 400, fault.Validation, "body")
	w.ask(t, "POST", dialOutPath, "botId=bot", "Content-Type", "application/x-www-form-urlencoded").refused(t, 400, fault.BadRequest)
	w.ask(t, "GET", dialOutPath, nil).refused(t, 405, fault.MethodNotAllowed)
}

func dialOutMegabyte(t *testing.T, w *callWorld) {
	const most = 1 << 20
	for name, filling := range map[string]string{"letters": "x", "what HTML would escape": "<&>", "quotes": `\"`, "other scripts": "語"} {
		frame := `{"botId":"bot","caller":"15550100","metadata":{"k":""},"target":"tel:+15550000001"}`
		room := most - len(frame)
		value := strings.Repeat(filling, room/len(filling)) + strings.Repeat("x", room%len(filling))
		body := strings.Replace(frame, `""`, `"`+value+`"`, 1)
		require.Len(t, body, most)

		p := w.dialOut(t, body)

		records := w.events(t, calls.Calls.Stream(p.CallID))
		require.Len(t, records, 1, name)
		var stored struct{ Metadata json.RawMessage }
		require.NoError(t, json.Unmarshal(records[0].Data, &stored))
		require.True(t, string(stored.Metadata) == `{"k":"`+value+`"}`, "%s: the metadata comes back byte by byte", name)
		w.do(t, "POST", dialOutPath, body+" ").refused(t, http.StatusRequestEntityTooLarge, fault.TooLarge) // before 401
	}
}

func dialOutKeys(t *testing.T, w *callWorld) {
	with := func(body any, key string) *answer { return w.ask(t, "POST", dialOutPath, body, "Idempotency-Key", key) }
	body := aCall().and(fields{"notifyHeaders": fields{"x": "y"}, "metadata": fields{"a": 1, "b": 2}})
	first := with(body, "k-1").must(t, 200)
	require.Empty(t, first.Header.Get("Idempotency-Replayed"))

	again := with(body, "k-1").must(t, 200)
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	require.JSONEq(t, first.Text, again.Text)
	reordered := `{"metadata":{"b":2, "a":1},"caller":"15550100","notifyHeaders":{"x":"y"},"target":"tel:+15550000001","botId":"bot"}`
	require.JSONEq(t, first.Text, with(reordered, "k-1").must(t, 200).Text, "written otherwise, it is the same request")
	with(body.and(fields{"timeoutInMs": 5000}), "k-1").refused(t, 409, fault.Conflict)
	require.NotEqual(t, first.Text, with(body, "k-2").must(t, 200).Text)

	with(body, strings.Repeat("k", 256)).refused(t, 400, fault.Validation, "Idempotency-Key")
	with(aCall().and(fields{"timeoutInMs": 1}), "k-3").refused(t, 400, fault.Validation, "timeoutInMs")
	with(aCall(), "k-3").must(t, 200) // a refusal binds no key
	theirs := w.do(t, "POST", dialOutPath, body, "Idempotency-Key", "k-1", "auth", w.two.token(t)).must(t, 200)
	require.NotEqual(t, first.Text, theirs.Text, "a key is its account's")
}

func dialOutKeysAtOnce(t *testing.T, w *callWorld) {
	const n = 20
	before := w.interactions(t, mainApp, "").Pagination["total"]
	var got [n]*answer
	together(n, func(i int) {
		got[i] = w.surely(t, "POST", dialOutPath, aCall(), "auth", w.auth, "Idempotency-Key", "at-once")
	})
	replayed := 0
	for _, a := range got {
		require.JSONEq(t, got[0].Text, a.must(t, 200).Text, "all get the same sid and callId")
		if a.Header.Get("Idempotency-Replayed") == "true" {
			replayed++
		}
	}
	require.GreaterOrEqual(t, replayed, n-1, "who had to ask again may have been the first")
	require.Equal(t, before+1, w.interactions(t, mainApp, "").Pagination["total"], "there is one call")
}
