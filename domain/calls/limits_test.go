package calls_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
)

// Given a field at its limit, then the request is taken, and with one more it is refused for that field.
func TestLimitsOfARequest(t *testing.T) {
	stt := func(change func(*calls.CallControlParameter, int)) func(*calls.DialOut, int) {
		return func(c *calls.DialOut, n int) {
			c.CallControlParameter = &calls.CallControlParameter{STTProvider: "local", STTLanguage: "en-US"}
			change(c.CallControlParameter, n)
		}
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, tc := range map[string]struct {
		most  int
		edit  func(*calls.DialOut, int)
		field string
	}{
		"bot":          {128, func(c *calls.DialOut, n int) { c.BotID = long(n) }, "botId"},
		"trunk":        {128, func(c *calls.DialOut, n int) { c.Trunk = long(n) }, "trunk"},
		"timeout":      {300_000, func(c *calls.DialOut, n int) { c.TimeoutInMs = &n }, "timeoutInMs"},
		"notifyurl":    {2_048, func(c *calls.DialOut, n int) { c.NotifyURL = "https://a.example/" + long(n-18) }, "notifyurl"},
		"headers":      {64, func(c *calls.DialOut, n int) { c.NotifyHeaders = headers(n) }, "notifyHeaders"},
		"header value": {8_192, func(c *calls.DialOut, n int) { c.NotifyHeaders = map[string]string{"X-A": long(n)} }, "notifyHeaders"},
		"a timer":      {60_000, func(c *calls.DialOut, n int) { c.Timers.NoSpeechTimeoutMs = &n }, "timers.noSpeechTimeoutMs"},
		"provider":     {128, stt(func(p *calls.CallControlParameter, n int) { p.STTProvider = long(n) }), "callControlParameter.sttProvider"},
		"label":        {128, stt(func(p *calls.CallControlParameter, n int) { p.STTLabel = long(n) }), "callControlParameter.sttLabel"},
		"language":     {35, stt(func(p *calls.CallControlParameter, n int) { p.STTLanguage = tag(n) }), "callControlParameter.sttLanguage"},
		"continuous ASR": {600_000, stt(func(p *calls.CallControlParameter, n int) { p.ContinuousASRTimeoutInMS = &n }),
			"callControlParameter.continuousASRTimeoutInMS"},
		"utterance end": {600_000, stt(func(p *calls.CallControlParameter, n int) { p.DeepgramUtteranceEndMs = &n }),
			"callControlParameter.deepgramUtteranceEndMs"},
		"endpointing": {600_000, stt(func(p *calls.CallControlParameter, n int) { p.DeepgramEndpointing = &n }),
			"callControlParameter.deepgramEndpointing"},
	} {
		t.Run(name, func(t *testing.T) {
			with := func(n int) calls.DialOut { return dialOut(func(c *calls.DialOut) { tc.edit(c, n) }) }
			require.Empty(t, with(tc.most).Validate())
			wrong := with(tc.most + 1).Validate()
			require.Len(t, wrong, 1)
			require.Equal(t, tc.field, wrong[0].Field)
		})
	}
	zero := 0
	require.Empty(t, dialOut(func(c *calls.DialOut) {
		c.CallControlParameter = &calls.CallControlParameter{STTProvider: "local", STTLanguage: "en", ContinuousASRTimeoutInMS: &zero,
			DeepgramUtteranceEndMs: &zero, DeepgramEndpointing: &zero}
	}).Validate())
}

func headers(n int) map[string]string {
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprintf("X-%d", i)] = "1"
	}
	return all
}

// tag is a language tag of n characters.
func tag(n int) string {
	out := "eng"[:2+n%2]
	return out + strings.Repeat("-a", (n-len(out))/2)
}

// Given headers and URLs as hostile callers write them, then the first wrong thing is named, and none of it is repeated at length.
func TestHeadersAndURLsOfHostileCallers(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*calls.DialOut)
		says string // empty: taken
	}{
		"a tab in a value": {func(c *calls.DialOut) { c.NotifyHeaders = map[string]string{"X-A": "a\tb"} }, ""},
		"a delete in a value": {func(c *calls.DialOut) { c.NotifyHeaders = map[string]string{"X-A": "a\x7fb"} },
			"that a header cannot have, for X-A"},
		"a space in a value": {func(c *calls.DialOut) { c.NotifyHeaders = map[string]string{"X-A": "a b~"} }, ""},
		"two wrong names": {func(c *calls.DialOut) { c.NotifyHeaders = map[string]string{"b b": "1", "a a": "1"} },
			`not a header name: "a a"`},
		"a name without an end": {func(c *calls.DialOut) { c.NotifyHeaders = map[string]string{strings.Repeat("a ", 99): "1"} },
			`"` + strings.Repeat("a ", 32) + `"`},
		"a name of 64": {func(c *calls.DialOut) { c.NotifyHeaders = map[string]string{strings.Repeat("a ", 31) + "a!": "1"} },
			`"` + strings.Repeat("a ", 31) + `a!"`},
		"no URL at all": {func(c *calls.DialOut) { c.NotifyURL = "https://a.example/%zz" }, "must be an absolute http or https URL"},
		"opaque":        {func(c *calls.DialOut) { c.NotifyURL = "https:a.example" }, "must be an absolute http or https URL"},
		"plain http":    {func(c *calls.DialOut) { c.NotifyURL = "HTTP://a.example" }, ""},
	} {
		var said string
		for _, f := range dialOut(tc.edit).Validate() {
			said += f.Problem + "\n"
		}
		first, _, _ := strings.Cut(said, "\n")
		if tc.says == "" {
			require.Empty(t, said, name)
		}
		require.Contains(t, first, tc.says, name)
	}
}

// Given targets at the borders of what SIP allows, then they are taken or refused.
func TestBordersOfTargets(t *testing.T) {
	label := strings.Repeat("a", 63) + "."
	host := strings.Repeat(label, 3) + strings.Repeat("b", 58) // 250, the most that there is room for
	user := strings.Repeat("u", 256-len("sip:@b"))
	for raw, taken := range map[string]bool{
		"sip:ann@[::1]": true, "sip:ann@[fe80::1%25eth0]": false, "sip:ann@[fe80::1%eth0]": false, "sip:ann@[10.0.0.1]": false,
		"sip:ann@[x]":   false,
		"sip:ann@pbx:1": true, "sip:ann@pbx:65535": true, "sip:ann@pbx:0": false, "sip:ann@pbx:05060": false, "sip:ann@pbx:00": false,
		"sip:ann@[::1]x": false, "sip:ann@[::1": false, "tel": false, "sip": false, "tel15550000001": false,
		"sip:" + user + "@b": true, "sip:" + user + "u@b": false, "sip:a@" + strings.Repeat("c", 64): false,
		"sip:a@" + host: true, "sip:aa@" + host: false, "sip:@" + host: false,
	} {
		_, problem := calls.NormalTarget(raw)
		require.Equal(t, taken, problem == "", "%s: %s", raw, problem)
	}
	_, problem := calls.NormalTarget("sip:ann@pbx:5070;transport=tcp")
	require.Contains(t, problem, "no parameters")
}
