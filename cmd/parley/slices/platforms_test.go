package slices

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	adapters "github.com/parley-platform/parley/adapters/channels"
	"github.com/parley-platform/parley/adapters/channels/email"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/examples/platforms"
)

// accounts are connections with all that their adapters ask for, and where they write to.
var accounts = map[string]struct {
	connection channels.Connection
	to         string
	shown      string // how the recorder shows that; empty: the same
}{
	"slack": {channels.Connection{Credentials: channels.Credentials{"signingSecret": "s", "botToken": "xoxb-1"}}, "D1:1.2", ""},
	"msteams": {channels.Connection{External: "app-1", Credentials: channels.Credentials{"appPassword": "hush"}},
		"https://smba.trafficmanager.net/amer/ 19:x@thread.v2;messageid=1", "19:x@thread.v2;messageid=1"},
	"telegram": {channels.Connection{External: "77", Credentials: channels.Credentials{"botToken": "77:hush", "secretToken": "s"}},
		"-9:4", ""},
	"whatsapp":  {meta("whatsapp", "accessToken"), "16505551234", ""},
	"messenger": {meta("messenger", "pageAccessToken"), "6789", ""},
	"instagram": {meta("instagram", "accessToken"), "6789", ""},
	"line": {channels.Connection{Credentials: channels.Credentials{"channelSecret": "s", "channelAccessToken": "hush"}},
		"U4af", ""},
	"twilio_sms": {channels.Connection{External: "+15550199", Credentials: channels.Credentials{"authToken": "s",
		"accountSid": channels.Secret("AC" + strings.Repeat("0", 32))}}, "+15551", ""},
	"livekit": {channels.Connection{TenantID: "acme", Credentials: channels.Credentials{"url": "wss://rooms.example", "apiKey": "k",
		"apiSecret": "hush"}}, "t_acme__p_shop__s_1", ""},
	"zendesk": {channels.Connection{External: "A1", Credentials: channels.Credentials{"webhookSecret": "s", "keyId": "k",
		"keySecret": "hush", "subdomain": "acme"}}, "conversation A1 C1", ""},
}

// knower asks a provider whether it knows a credential: parley doctor --ask-providers.
type knower interface {
	Known(ctx context.Context, c channels.Connection) channels.Outcome
}

func meta(kind, token string) channels.Connection {
	return channels.Connection{Kind: kind, External: "1065", Credentials: channels.Credentials{"appSecret": "s", "verifyToken": "s",
		token: "hush"}}
}

// Given the recorder in place of the providers, then adapters and recorder understand each other, in
// good days and in bad ones.
func TestTheRecorderIsAProviderToAdapters(t *testing.T) {
	x := &platforms.Recorder{Now: time.Now}
	s := httptest.NewServer(x)
	defer s.Close()
	kinds := slices.DeleteFunc(platforms.Kinds(), func(kind string) bool { return kind == "email" }) // below
	require.Len(t, accounts, len(kinds), "an account for each kind that is played")
	for _, kind := range kinds {
		adapter, err := adapters.New(kind, platforms.At(s.URL, kind))
		require.NoError(t, err)
		of := accounts[kind]
		n := 0
		send := func() channels.Outcome {
			n++
			m := channels.Outbound{Reference: fmt.Sprint("m/", n), Attempt: 1, To: of.to, Text: "fish & <chips> 😀"}
			for _, label := range []string{"Yes", "No"}[:min(2, adapter.Limits().Choices)] {
				m.Choices = append(m.Choices, channels.Choice{Token: "1." + label, Label: label})
			}
			return adapter.Send(t.Context(), of.connection, m)
		}
		out, shown := send(), cmp.Or(of.shown, of.to)
		require.Equal(t, channels.Taken, out.Status, "%s: %+v", kind, out)
		took := x.Sent(kind, shown)
		require.Len(t, took, 1, kind)
		require.Equal(t, []string{out.ProviderMessageID, "fish & <chips> 😀"}, []string{took[0].ID, took[0].Text}, kind)
		require.Len(t, took[0].Choices, min(2, adapter.Limits().Choices), kind)

		for does, want := range map[platforms.Trouble]channels.Status{platforms.Busy: channels.NotTaken, platforms.Down: channels.Unknown,
			platforms.Refuses: channels.Refused, platforms.Revoked: channels.NotTaken, platforms.Cuts: channels.Unknown,
			platforms.HangsUp: channels.Unknown} {
			x.Fault(platforms.Fault{Kind: kind, Does: does, Times: 1, Pause: 2})
			out := send()
			require.Equal(t, want, out.Status, "%s, %s: %+v", kind, does, out)
			require.Equal(t, does == platforms.Revoked, out.Denied, "%s, %s: the connection shows it", kind, does)
			if does == platforms.Busy {
				require.Equal(t, 2*time.Second, out.RetryAfter, kind)
			}
		}
		if who, asks := adapter.(knower); asks {
			require.Equal(t, channels.Taken, who.Known(t.Context(), of.connection).Status, kind)
			require.Equal(t, "CREDENTIALS", who.Known(t.Context(), channels.Connection{}).Code, kind)
			x.Fault(platforms.Fault{Kind: kind, Does: platforms.Revoked})
			out = who.Known(t.Context(), of.connection)
			require.Equal(t, channels.NotTaken, out.Status, kind)
			require.NotEmpty(t, out.Code, kind)
			x.Mend()
		}
		x.Fault(platforms.Fault{Kind: kind, Does: platforms.Inside, Times: 1})
		require.NotEqual(t, channels.Taken, send().Status, kind)
		require.Len(t, x.Sent(kind, shown), 2, "%s: the one that was cut was taken", kind)
	}
}

// Given the recorder as a host of mail, then a mail is taken once, and each trouble means what it
// means with other providers.
func TestTheRecorderIsAHostOfMail(t *testing.T) {
	x := &platforms.Recorder{Now: time.Now}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- x.ServeMail(l) }()
	bare, err := email.New("")
	require.NoError(t, err)
	box := channels.Connection{External: "support@acme.example"}
	letter := channels.Outbound{Reference: "m/1", Attempt: 1, To: `{"to":"ann@shop.example","subject":"Zähler","token":"jab32xhu3vgjk45g"}`,
		Text: "fish & <chips> 😀\nfor two"}
	require.Equal(t, "NO_REPLY_PATH", bare.Send(t.Context(), box, letter).Code, "without a host nobody takes it")
	adapter := bare.Otherwise(l.Addr().String())
	for range 2 { // the same again is not another one
		out := adapter.Send(t.Context(), box, letter)
		require.Equal(t, channels.Taken, out.Status, "%+v", out)
	}
	took := x.Sent("email", "ann@shop.example")
	require.Len(t, took, 1)
	require.Equal(t, []string{letter.Text, "Re: Zähler"}, []string{took[0].Text, took[0].By})
	for does, want := range map[platforms.Trouble]channels.Status{platforms.Busy: channels.NotTaken, platforms.Down: channels.NotTaken,
		platforms.Refuses: channels.Refused, platforms.Revoked: channels.Refused, platforms.Inside: channels.Refused,
		platforms.Cuts: channels.Unknown, platforms.HangsUp: channels.Unknown} {
		x.Fault(platforms.Fault{Kind: "email", Does: does, Times: 1})
		letter.Reference = "m/" + string(does)
		out := adapter.Send(t.Context(), box, letter)
		require.Equal(t, want, out.Status, "%s: %+v", does, out)
	}
	require.Len(t, x.Sent("email", ""), 2, "the one that was cut was taken")
	require.NoError(t, l.Close())
	require.NoError(t, <-ended)
}
