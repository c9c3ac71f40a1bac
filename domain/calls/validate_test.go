package calls_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

func TestDefaultsAreStored(t *testing.T) {
	r := requested(t)
	require.Equal(t, "tel:+15550000001", r.Target)
	require.Equal(t, 60_000, r.TimeoutInMs)
	require.Equal(t, calls.Timers{NoSpeechTimeoutMs: 5_000, DecisionTimeoutMs: 15_000, ToneTimeoutMs: 20_000,
		GreetingCompletionTimeoutMs: 2_000}, r.Timers)
	require.Equal(t, 9, r.ThresholdWordCount)
	require.Equal(t, calls.DetectionDisabled, r.MachineDetection)
	require.Nil(t, r.AmdEventsSubscription, "absent: all events")
	require.Equal(t, calls.ProviderLocal, r.Provider)
	require.Equal(t, noon.Add(calls.DefaultDialWindow), r.DialBy)
}

func TestWhatIsGivenIsStored(t *testing.T) {
	r := requested(t, func(c *calls.DialOut) {
		c.TimeoutInMs, c.ThresholdWordCount, c.Timers.DecisionTimeoutMs = ptr(1_000), ptr(1), ptr(60_000)
		c.AmdEventsSubscription = []string{}
		c.DialBy = after(5_000)
	})
	require.Equal(t, 1_000, r.TimeoutInMs)
	require.Equal(t, 1, r.ThresholdWordCount)
	require.Equal(t, 60_000, r.Timers.DecisionTimeoutMs)
	require.Equal(t, 2_000, r.Timers.GreetingCompletionTimeoutMs)
	require.Equal(t, []calls.Result{}, r.AmdEventsSubscription, "empty: no events")
	require.Equal(t, after(5_000), r.DialBy)
}

func TestARequestThatIsWrongNamesTheField(t *testing.T) {
	stt := func(change func(*calls.CallControlParameter)) func(*calls.DialOut) {
		return func(c *calls.DialOut) {
			c.CallControlParameter = &calls.CallControlParameter{STTProvider: "local", STTLanguage: "en-US"}
			change(c.CallControlParameter)
		}
	}
	header := func(name, value string) func(*calls.DialOut) {
		return func(c *calls.DialOut) { c.NotifyHeaders = map[string]string{name: value} }
	}
	url := func(u string) func(*calls.DialOut) { return func(c *calls.DialOut) { c.NotifyURL = u } }
	for name, tc := range map[string]struct {
		change func(*calls.DialOut)
		field  string // empty: fine
	}{
		"nothing wrong":               {func(*calls.DialOut) {}, ""},
		"no bot":                      {func(c *calls.DialOut) { c.BotID = "" }, "botId"},
		"no target":                   {func(c *calls.DialOut) { c.Target = "" }, "target"},
		"a target without a country":  {func(c *calls.DialOut) { c.Target = "tel:0301234567" }, "target"},
		"one dialled from abroad":     {func(c *calls.DialOut) { c.Target = "tel:0049301234567" }, "target"},
		"no caller":                   {func(c *calls.DialOut) { c.OurNumber = "" }, "caller"},
		"caller with a line break":    {func(c *calls.DialOut) { c.OurNumber = "1\r\n2" }, "caller"},
		"trunk too long":              {func(c *calls.DialOut) { c.Trunk = strings.Repeat("t", 129) }, "trunk"},
		"no notifyurl":                {url(""), ""},
		"notifyurl relative":          {url("/notices"), "notifyurl"},
		"notifyurl ftp":               {url("ftp://dialer.example/"), "notifyurl"},
		"notifyurl without host":      {url("https:///x"), "notifyurl"},
		"notifyurl without host name": {url("https://:8080/x"), "notifyurl"},
		"notifyurl opaque":            {url("https:dialer.example"), "notifyurl"},
		"notifyurl with password":     {url("https://me:secret@dialer.example/"), "notifyurl"},
		"notifyurl with port 0":       {url("https://dialer.example:0/"), "notifyurl"},
		"notifyurl with its own port": {url("HTTPS://dialer.example:8443/a"), ""},
		"notifyurl with open query":   {url("https://dialer.example/a?b=secret"), "notifyurl"}, // its sender seals it
		"a label of umlauts": {stt(func(p *calls.CallControlParameter) {
			p.STTProvider, p.STTLabel = strings.Repeat("ä", 128), strings.Repeat("ü", 128)
		}),
			""},
		"header fine":                   {header("Authorization", "Bearer x"), ""},
		"header name with space":        {header("X Y", "1"), "notifyHeaders"},
		"header name empty":             {header("", "1"), "notifyHeaders"},
		"header value breaks its line":  {header("X-Y", "1\r\nHost: evil"), "notifyHeaders"},
		"header replaces the signature": {header("savg-Signature", "t=1"), "notifyHeaders"},
		"header replaces Host":          {header("HOST", "x"), "notifyHeaders"},
		"header replaces length":        {header("Content-Length", "0"), "notifyHeaders"},
		"a header in two spellings with two values": {func(c *calls.DialOut) {
			c.NotifyHeaders = map[string]string{"x-key": "1", "X-Key": "2"}
		}, "notifyHeaders"},
		"a header in two spellings with one value": {func(c *calls.DialOut) {
			c.NotifyHeaders = map[string]string{"x-key": "1", "X-Key": "1"}
		}, ""},
		"timeout too short":    {func(c *calls.DialOut) { c.TimeoutInMs = ptr(999) }, "timeoutInMs"},
		"timeout too long":     {func(c *calls.DialOut) { c.TimeoutInMs = ptr(300_001) }, "timeoutInMs"},
		"timer of zero":        {func(c *calls.DialOut) { c.Timers.NoSpeechTimeoutMs = ptr(0) }, "timers.noSpeechTimeoutMs"},
		"timer negative":       {func(c *calls.DialOut) { c.Timers.ToneTimeoutMs = ptr(-1) }, "timers.toneTimeoutMs"},
		"timer beyond the cap": {func(c *calls.DialOut) { c.Timers.DecisionTimeoutMs = ptr(60_001) }, "timers.decisionTimeoutMs"},
		"greeting timer negative": {func(c *calls.DialOut) { c.Timers.GreetingCompletionTimeoutMs = ptr(-5) },
			"timers.greetingCompletionTimeoutMs"},
		"threshold negative":        {func(c *calls.DialOut) { c.ThresholdWordCount = ptr(-1) }, "thresholdWordCount"},
		"threshold 0 is not absent": {func(c *calls.DialOut) { c.ThresholdWordCount = ptr(0) }, "thresholdWordCount"},
		"threshold of 100":          {func(c *calls.DialOut) { c.ThresholdWordCount = ptr(100) }, ""},
		"threshold over 100":        {func(c *calls.DialOut) { c.ThresholdWordCount = ptr(101) }, "thresholdWordCount"},
		"no threshold":              {func(c *calls.DialOut) { c.ThresholdWordCount = nil }, ""},
		"unknown mode":              {func(c *calls.DialOut) { c.MachineDetection = "hangup" }, "machineDetection"},
		"unknown event": {func(c *calls.DialOut) { c.AmdEventsSubscription = []string{"amd_human_detected", "amd_dog_detected"} },
			"amdEventsSubscription"},
		"metadata object":      {func(c *calls.DialOut) { c.Metadata = json.RawMessage(` {"a":1}`) }, ""},
		"metadata list":        {func(c *calls.DialOut) { c.Metadata = json.RawMessage(`[1]`) }, "metadata"},
		"metadata broken":      {func(c *calls.DialOut) { c.Metadata = json.RawMessage(`{"a":`) }, "metadata"},
		"speech settings fine": {stt(func(*calls.CallControlParameter) {}), ""},
		"no speech provider":   {stt(func(p *calls.CallControlParameter) { p.STTProvider = "" }), "callControlParameter.sttProvider"},
		"no speech language":   {stt(func(p *calls.CallControlParameter) { p.STTLanguage = "" }), "callControlParameter.sttLanguage"},
		"speech language is no tag": {stt(func(p *calls.CallControlParameter) { p.STTLanguage = "english please" }),
			"callControlParameter.sttLanguage"},
		"negative endpointing": {stt(func(p *calls.CallControlParameter) { p.DeepgramEndpointing = ptr(-1) }),
			"callControlParameter.deepgramEndpointing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dialOut(tc.change).Decide(calls.State{})
			if tc.field == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, []string{tc.field}, faulttest.Fields(t, err))
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestEveryWrongFieldIsNamed(t *testing.T) {
	f := dialOut(func(c *calls.DialOut) { c.Target, c.OurNumber, c.MachineDetection = "mail:x", "", "on" }).Validate()
	require.Equal(t, []string{"target", "caller", "machineDetection"}, []string{f[0].Field, f[1].Field, f[2].Field})
}

func TestTargets(t *testing.T) {
	for raw, want := range map[string]string{
		"tel:+15550000001":                       "tel:+15550000001",
		"tel:15550000001":                        "tel:+15550000001",
		"TEL:+1-555-(000).0001":                  "tel:+15550000001",
		"tel:112":                                "tel:+112",
		"tel:+12":                                "",
		"tel:+1234567890123456":                  "",
		"tel:++15550000001":                      "",
		"tel:+1555000000a":                       "",
		"tel:":                                   "",
		"tel:+15550000001;ext=1":                 "",
		"sip:ann@Pbx.Example":                    "sip:ann@pbx.example",
		"SIP:ann@pbx.example:5060":               "sip:ann@pbx.example:5060",
		"sip:+1555@10.0.0.1":                     "sip:+1555@10.0.0.1",
		"sip:ann@[2001:DB8::1]:5061":             "sip:ann@[2001:db8::1]:5061",
		"sip:a%20b@pbx.example":                  "sip:a%20b@pbx.example",
		"sip:pbx.example":                        "",
		"sip:@pbx.example":                       "",
		"sip:ann@":                               "",
		"sip:ann@:5060":                          "",
		"sip:ann@pbx.example:":                   "",
		"sip:ann@pbx.example:0":                  "",
		"sip:ann@pbx.example:65536":              "",
		"sip:ann@pbx example":                    "",
		"sip:ann@[::1":                           "",
		"sip:ann@[::1]x:1":                       "",
		"sip:a b@pbx.example":                    "",
		"sip:ann:pw@pbx.example":                 "",
		"sip:ann@pbx.example;a=b":                "",
		"sip:ann@pbx.example\r\nX: y":            "",
		"sips:ann@pbx.example":                   "",
		"+15550000001":                           "",
		"sip:" + strings.Repeat("a", 300) + "@b": "",
	} {
		got, problem := calls.NormalTarget(raw)
		require.Equal(t, want, got, raw)
		require.Equal(t, want == "", problem != "", "%s: %s", raw, problem)
	}
}

func TestACallIsRequestedOnce(t *testing.T) {
	_, err := dialOut().Decide(calls.Calls.State(requested(t)))
	require.True(t, fault.Is(err, fault.Conflict))
}

func TestTheStateOwnsWhatItKeeps(t *testing.T) {
	r := requested(t, func(c *calls.DialOut) {
		c.Metadata, c.AmdEventsSubscription = json.RawMessage(`{"a":1}`), []string{"amd_stopped"}
		c.CallControlParameter = &calls.CallControlParameter{STTProvider: "local", STTLanguage: "en", Interim: ptr(true)}
	})
	s := calls.Calls.State(r)
	r.Metadata[2], r.AmdEventsSubscription[0], *r.CallControlParameter.Interim = 'b', "x", false
	require.JSONEq(t, `{"a":1}`, string(s.Request.Metadata))
	require.Equal(t, calls.AmdStopped, s.Request.AmdEventsSubscription[0])
	require.True(t, *s.Request.CallControlParameter.Interim)
}
