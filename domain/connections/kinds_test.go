package connections_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

// The one table of kinds: what each is called by, what it needs, and what it may have.
func TestKindsAndTheirCredentials(t *testing.T) {
	for slug, c := range map[string]struct{ external, required, optional string }{
		"slack":          {"A1:T1", "signingSecret botToken", "botUserId"},
		"msteams":        {"5f8a-11", "appPassword", "tenantId botName appId"},
		"whatsapp":       {"1065", "appSecret verifyToken accessToken", "wabaId"},
		"messenger":      {"1906385", "appSecret verifyToken pageAccessToken", ""},
		"instagram":      {"17841", "appSecret verifyToken accessToken", "apiHost"},
		"telegram":       {"123456", "botToken", "secretToken botUsername"},
		"line":           {"U0123", "channelSecret channelAccessToken", ""},
		"twilio_sms":     {"+15550001", "accountSid authToken", "apiKeySid apiKeySecret from"},
		"email":          {"shop@example.com", "", "smtpHost smtpUser smtpPass smtpPort fromAddress dkimKey dkimSelector"},
		"zendesk":        {"app-1", "", "signingSecret webhookSecret keyId keySecret subdomain"},
		"genesys":        {"shop", "token", "header"},
		"audiocodes":     {"shop", "token", ""},
		"jambonz":        {"shop", "token", "webhookSecret"},
		"vxml":           {"shop", "token", "grammar"},
		"twilio_voice":   {"+15550001", "accountSid authToken", "apiKeySid apiKeySecret twimlAppSid"},
		"livekit":        {"shop", "url apiKey apiSecret", ""},
		"voice_pipeline": {"shop", "token", ""},
		"web_chat":       {"shop", "", ""},
		"ag_ui":          {"shop", "", ""},
		"a2a":            {"shop/greeter", "", ""},
		"http_async":     {"shop", "", "callbackSecret"},
		"http":           {"shop", "", ""},
		"api":            {"shop", "", ""},
	} {
		k, ok := connections.KindOf(slug)
		require.True(t, ok, slug)
		require.Contains(t, channels.Kinds(), slug, "filters know it")
		all, required := k.CredentialNames()
		require.Equal(t, strings.Fields(c.required), append([]string{}, required...), slug)
		require.Equal(t, append(strings.Fields(c.required), strings.Fields(c.optional)...), append([]string{}, all...), slug)
		var f fault.Fields
		require.Equal(t, c.external, k.CheckExternal(&f, " "+c.external+" "), slug)
		require.Empty(t, f, slug)
		for _, missing := range required {
			has := map[string]connections.Credential{}
			for _, name := range required {
				if name != missing {
					has[name] = connections.Credential{}
				}
			}
			err := create(func(c *connections.Create) { c.Kind, c.Credentials = k, has }).Check()
			require.Equal(t, []string{"credentials." + missing}, faulttest.Fields(t, err), slug)
		}
	}
	require.Len(t, connections.Slugs(), 23)
	require.Equal(t, "sms sip voice_gateway voice rtc web", strings.Join(connections.Words()[23:], " "))
	_, ok := connections.KindOf("fax")
	require.False(t, ok)
}

func TestCredentialsThatGoTogether(t *testing.T) {
	for _, c := range []struct {
		kind, has string
		good      bool
	}{
		{"zendesk", "", false}, {"zendesk", "subdomain", false}, {"zendesk", "signingSecret", true}, {"zendesk", "webhookSecret", true},
		{"zendesk", "webhookSecret keyId", false}, {"zendesk", "webhookSecret keyId keySecret", true},
		{"twilio_sms", "accountSid authToken apiKeySid", false}, {"twilio_voice", "accountSid authToken apiKeySid apiKeySecret", true},
		{"email", "", true}, {"api", "", true},
	} {
		k, _ := connections.KindOf(c.kind)
		has := map[string]connections.Credential{}
		for _, name := range strings.Fields(c.has) {
			has[name] = connections.Credential{}
		}
		err := create(func(cmd *connections.Create) { cmd.Kind, cmd.Credentials = k, has }).Check()
		if c.good {
			require.NoError(t, err, c)
			continue
		}
		require.Equal(t, []string{"credentials"}, faulttest.Fields(t, err), c)
	}
}

func TestIdentifiersAreStoredInOneForm(t *testing.T) {
	for _, c := range []struct{ kind, given, want string }{
		{"twilio_sms", "1 (555) 000-1234", "+15550001234"}, {"twilio_voice", "+15550001234", "+15550001234"},
		{"twilio_sms", "MG" + strings.Repeat("0a", 16), "MG" + strings.Repeat("0a", 16)}, {"email", "Shop@Example.COM", "shop@example.com"},
		{"email", "Info@B\u00fccher.example", "info@xn--bcher-kva.example"},
		{"email", "info@xn--bcher-kva.example", "info@xn--bcher-kva.example"},
		{"email", "b\u00fc@x_y.example", "b\u00fc@x_y.example"},
		{"slack", "A1", ""}, {"slack", "A1:T1:U1", ""}, {"telegram", "bot", ""}, {"twilio_sms", "MG1", ""}, {"twilio_voice", "x", ""},
		{"email", "shop", ""}, {"line", "", ""}, {"genesys", "a/b", ""}, {"genesys", strings.Repeat("x", 129), ""}, {"api", "a b", ""},
		{"whatsapp", "10 65", ""}, {"messenger", "..", ""}, {"instagram", strings.Repeat("1", 33), ""}, {"whatsapp", "+1555", ""},
	} {
		k, _ := connections.KindOf(c.kind)
		var f fault.Fields
		require.Equal(t, c.want, k.CheckExternal(&f, c.given), c)
		if c.want == "" {
			require.Equal(t, []string{"externalIdentifier"}, faulttest.Fields(t, f.Err()), c)
		}
	}
}

func TestCredentialsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ kind, name, good, wrong string }{
		{"slack", "botToken", "xoxb-1", " "}, {"slack", "signingSecret", "s", "a\nb"},
		{"slack", "botToken", strings.Repeat("x", connections.MaxCredential), strings.Repeat("x", connections.MaxCredential+1)},
		{"slack", "accessToken", "", "x"}, {"api", "token", "", "x"},
		{"msteams", "appId", "A1:T1", "another"}, {"telegram", "botToken", "A1:T1:secret"[:5] + "x", "123:secret"},
		{"telegram", "secretToken", "a_b-C", "a b"}, {"instagram", "apiHost", "graph.facebook.com", "10.0.0.1"},
		{"email", "smtpPort", "1", "0"}, {"email", "smtpPort", "587", "smtp"}, {"email", "smtpPort", "65535", "65536"},
		{"email", "fromAddress", "shop@example.com", "shop"},
		{"genesys", "header", "X-Token", "a b"}, {"email", "dkimKey", "-----BEGIN IT-----\r\n\tx\n", "a\x00"}, {"email", "dkimKey", "x", "a\x7f"},
		{"slack", "botToken", "a b", "a\x7f"}, {"slack", "botToken", "~", "a\tb"}, {"telegram", "botToken", "", "123456"},
	} {
		k, _ := connections.KindOf(c.kind)
		external := "A1:T1"
		if c.kind == "telegram" && c.name == "botToken" {
			external, c.good = "123456", "123456:secret"
		}
		var f fault.Fields
		if c.good != "" {
			k.CheckCredentials(&f, external, map[string]string{c.name: c.good})
			require.Empty(t, f, c)
		}
		k.CheckCredentials(&f, external, map[string]string{c.name: c.wrong})
		require.Equal(t, []string{"credentials." + c.name}, faulttest.Fields(t, f.Err()), c)
	}
	for kind, problem := range map[string]string{"api": "is no credential of api, which has none",
		"line": "is no credential of line, which has channelSecret, channelAccessToken"} {
		var f fault.Fields
		k, _ := connections.KindOf(kind)
		k.CheckCredentials(&f, "", map[string]string{"pin": " "})
		require.Equal(t, fault.Fields{{Field: "credentials.pin", Problem: problem}}, f)
	}
	var f fault.Fields
	k, _ := connections.KindOf("slack")
	k.CheckCredentials(&f, "", map[string]string{"a name that\nshould not be shown": "x"})
	require.Equal(t, []string{"credentials"}, faulttest.Fields(t, f.Err()))
}

// Given the kinds, then the tenant itself names connections of these, and whoever talks by these looks for the answer.
func TestWhatATenantNamesItself(t *testing.T) {
	own := []string{"livekit", "voice_pipeline", "web_chat", "ag_ui", "a2a", "http_async", "http", "api"}
	for _, slug := range connections.Slugs() {
		kind, _ := connections.KindOf(slug)
		require.Equal(t, slices.Contains(own, slug), kind.Own, slug)
		require.Equal(t, slug == "a2a", connections.Polls(slug), slug)
	}
	require.False(t, connections.Polls("fax"))
}
