package channels_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/adapters/channels/whatsapp"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts/connected"
	channelapi "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

const account = "AC0123456789abcdef0123456789abcdef"

// inbox is who takes what providers say, and knows what it has.
type inbox struct {
	mu   sync.Mutex
	all  []channels.Connection
	took []string // "connection: what was said", once each
	ids  map[string]bool
	down error

	full  string // a conversation in which no more can wait
	asked int    // how often connections were looked for

	figures *prometheus.Registry
}

func (b *inbox) At(_ context.Context, kind, identifier string) (channels.Connection, error) {
	for _, c := range b.all {
		if c.Kind == kind && c.ID == identifier {
			return c, nil
		}
	}
	return channels.Connection{}, fault.New(fault.NotFound, "there is no such connection")
}

func (b *inbox) Taking(_ context.Context, tenant, id string) (channels.Connection, error) {
	for _, c := range b.all {
		if c.TenantID == tenant && c.ID == id {
			return c, nil
		}
	}
	return channels.Connection{}, fault.New(fault.NotFound, "there is no such connection")
}

func (b *inbox) Named(_ context.Context, kind string, names []string) (out []channels.Connection, _ error) {
	b.asked++
	for _, c := range b.all {
		if c.Kind == kind && (names == nil || slices.Contains(names, c.External)) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (b *inbox) take(c channels.Connection, id, said string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down == nil && !b.ids[id] {
		b.ids[id], b.took = true, append(b.took, c.ID+": "+said)
	}
	return b.down
}

func (b *inbox) Entry(_ context.Context, c channels.Connection, id string, e channels.Entry) error {
	if b.full == e.Thread {
		return fault.New(fault.QueueFull, "50 messages of this conversation wait for an answer")
	}
	return b.take(c, id, e.From+" says "+e.Text)
}

func (b *inbox) Report(_ context.Context, c channels.Connection, id string, r channels.Report) error {
	return b.take(c, id, r.ProviderMessageID+" is "+string(r.State))
}

// challenger is a provider that wants a word back before it sends anything.
type challenger struct{}

func (challenger) Routes(channels.Request) []string { return nil }

func (challenger) Verify(c channels.Connection, r channels.Request) error {
	if address, err := url.Parse(r.URL); err != nil || address.Query().Get("token") != c.Credentials.Reveal("token") {
		return fault.New(fault.Forbidden, "the token is wrong")
	}
	return nil
}

func (challenger) Parse(_ channels.Connection, r channels.Request) (channels.Received, error) {
	address, err := url.Parse(r.URL)
	return channels.Received{Answer: channels.Answer{ContentType: "text/plain", Body: []byte(address.Query().Get("challenge"))}}, err
}

// crowd is a provider whose requests have entries of many conversations: "person text", a line each.
type crowd struct{ challenger }

func (crowd) Verify(channels.Connection, channels.Request) error { return nil }

func (crowd) Parse(_ channels.Connection, r channels.Request) (out channels.Received, _ error) {
	for line := range strings.Lines(string(r.Body)) {
		who, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		out.Entries = append(out.Entries, channels.Entry{ExternalID: who + "/" + text, Thread: who, From: who, Text: text})
	}
	return out, nil
}

// buttons is a crowd whose people wait until it is told that a press has come.
type buttons struct {
	crowd
	told chan string
}

func (b buttons) Parse(c channels.Connection, r channels.Request) (channels.Received, error) {
	out, err := b.crowd.Parse(c, r)
	for i := range out.Entries {
		if out.Entries[i].Text == "1.0" {
			out.Entries[i].Choice, out.Entries[i].Text = "1.0", ""
		}
	}
	return out, err
}

func (b buttons) Pressed(_ context.Context, c channels.Connection, externalID string) {
	b.told <- c.ID + ": " + externalID
}

func twilioAccount(id, tenant, number, token string) channels.Connection {
	return channels.Connection{ID: id, TenantID: tenant, Kind: "twilio_sms", External: number,
		Credentials: channels.Credentials{sms.AccountSID: account, sms.AuthToken: channels.Secret(token)}}
}

func newInbox(t *testing.T) (*inbox, *resttest.World) {
	t.Helper()
	b := &inbox{figures: prometheus.NewRegistry(), ids: map[string]bool{}, all: []channels.Connection{
		twilioAccount("c-1", "acme", "+15550100", "hush"),
		twilioAccount("c-2", "globex", "+15550100", "another"), twilioAccount("c-3", "acme", "+15550101", "hush"),
		{ID: "c-5", Kind: "http"}, {ID: "c-4", Kind: "line", Credentials: channels.Credentials{"token": "open sesame"}}}}
	twilio, err := sms.NewTwilio("")
	require.NoError(t, err)
	batches, err := whatsapp.New("")
	require.NoError(t, err)
	w := resttest.NewWorld(t)
	channelapi.DeclareWebhooks(w.Api, channelapi.Webhooks{
		Receivers: map[string]channelapi.Receiver{"twilio_sms": twilio, "line": challenger{}, "whatsapp": batches,
			"http": crowd{}},
		Connections: b, Inbox: b, Counts: connected.NewCounts(b.figures, []string{"twilio_sms"}),
		PublicURL: func() string { return "https://parley.example.com" },
		Now:       func() time.Time { return time.Unix(1_700_000_000, 0) }})
	return b, w
}

// posted is a request of Twilio, signed with a token.
func posted(path, body, token string) *http.Request {
	form, _ := url.ParseQuery(body)
	signed := "https://parley.example.com" + path
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for k := range form {
			if !yield(k) {
				return
			}
		}
	}) {
		signed += name + form.Get(name)
	}
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(signed))
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return r
}

// answered is the status and the body.
func answered(w *resttest.World, r *http.Request) (int, string) {
	out := httptest.NewRecorder()
	w.Api.ServeHTTP(out, r)
	body, _ := io.ReadAll(out.Body)
	return out.Code, string(body)
}

const (
	own    = "/api/v1/channels/twilio_sms/webhook/c-1"
	shared = "/api/v1/channels/twilio_sms/webhook?v=1"
	hello  = "AccountSid=" + account + "&MessageSid=SM1&SmsStatus=received&From=%2B15558675310&To=%2B15550100&Body=Hi+there"
	status = "AccountSid=" + account + "&MessageSid=SM2&MessageStatus=delivered&From=%2B15550100&To=%2B15558675310"
)

func TestWhatAProviderSaysIsTakenOnce(t *testing.T) {
	b, w := newInbox(t)
	for range 2 {
		for _, body := range []string{hello, status} {
			code, answer := answered(w, posted(own, body, "hush"))
			require.Equal(t, 200, code, answer)
			require.Equal(t, "<Response/>", answer)
		}
	}
	more := []string{strings.Replace(hello, "SM1", "SM3", 1), strings.Replace(status, "delivered", "read", 1)}
	for _, body := range more {
		code, _ := answered(w, posted(own, body, "hush"))
		require.Equal(t, 200, code)
	}
	code, _ := answered(w, posted("/api/v1/channels/twilio_sms/webhook/c-2", hello, "another"))
	require.Equal(t, 200, code)
	require.Equal(t, []string{"c-1: +15558675310 says Hi there", "c-1: SM2 is delivered", "c-1: +15558675310 says Hi there",
		"c-1: SM2 is read", "c-2: +15558675310 says Hi there"}, b.took, "the provider's id tells what is new, in one connection")
}

// Two tenants may connect the same number: whose secret signed it is whose it is.
func TestOnASharedPathTheSecretDecides(t *testing.T) {
	b, w := newInbox(t)
	code, _ := answered(w, posted(shared, hello, "another"))
	require.Equal(t, 200, code)
	require.Equal(t, []string{"c-2: +15558675310 says Hi there"}, b.took)
}

func TestNobodyElseIsBelieved(t *testing.T) {
	b, w := newInbox(t)
	for name, c := range map[string]struct {
		request *http.Request
		code    int
	}{
		"another's secret":    {posted(own, hello, "another"), 401},
		"nobody's secret":     {posted(shared, hello, "wrong"), 401},
		"signed for a path":   {func() *http.Request { r := posted(own, hello, "hush"); r.URL.RawQuery = "x=1"; return r }(), 401},
		"no signature":        {httptest.NewRequest("POST", own, strings.NewReader(hello)), 401},
		"no connection":       {posted("/api/v1/channels/twilio_sms/webhook/c-9", hello, "hush"), 404},
		"one of another kind": {posted("/api/v1/channels/twilio_sms/webhook/c-4", hello, "hush"), 404},
		"no such number":      {posted(shared, strings.Replace(hello, "5550100", "5550199", 1), "hush"), 404},
		"no such kind":        {posted("/api/v1/channels/fax/webhook/c-1", hello, "hush"), 404},
		"too large":           {posted(own, hello+"&x="+strings.Repeat("a", 1<<20), "hush"), 413},
		"a wrong challenge":   {httptest.NewRequest("GET", "/api/v1/channels/line/webhook/c-4?token=x&challenge=7", nil), 403},
	} {
		code, answer := answered(w, c.request)
		require.Equal(t, c.code, code, "%s: %s", name, answer)
		require.NotContains(t, answer, "hush", name)
	}
	require.Empty(t, b.took)
}

func TestAChallengeIsAnswered(t *testing.T) {
	_, w := newInbox(t)
	for _, path := range []string{"/api/v1/channels/line/webhook", "/api/v1/channels/line/webhook/c-4"} {
		code, answer := answered(w, httptest.NewRequest("GET", path+"?token=open+sesame&challenge=1158201444", nil))
		require.Equal(t, 200, code)
		require.Equal(t, "1158201444", answer)
	}
}

// What is not taken is not answered as if it were: the provider sends it again.
func TestWhatCannotBeKeptIsSentAgain(t *testing.T) {
	b, w := newInbox(t)
	b.down = fault.New(fault.Unavailable, "not now")
	code, _ := answered(w, posted(own, hello, "hush"))
	require.Equal(t, 503, code)
	b.down = nil
	code, _ = answered(w, posted(own, hello, "hush"))
	require.Equal(t, 200, code)
	require.Len(t, b.took, 1)
}

// What nobody can read is answered, or the provider would send it for days.
func TestWhatCannotBeReadIsAnsweredAndLeft(t *testing.T) {
	b, w := newInbox(t)
	code, _ := answered(w, posted(own, "AccountSid="+account+"&Body=secret+words", "hush"))
	require.Equal(t, 200, code)
	require.Empty(t, b.took)
	require.Contains(t, w.Log.String(), "a provider sent what cannot be read")
	require.Contains(t, w.Log.String(), "c-1")
	require.NotContains(t, w.Log.String(), "secret words")
}

// Given one body with a thousand entries of many conversations, then each is taken once, those of one
// conversation in their order; one that takes no more keeps no other one out, and the body comes again.
func TestAThousandEntriesInOneBody(t *testing.T) {
	b, w := newInbox(t)
	var body strings.Builder
	for n := range 1000 {
		_, _ = fmt.Fprintf(&body, "p%d %d\n", n%50, n)
	}
	send := func() int {
		r := httptest.NewRequest(http.MethodPost, "/api/v1/channels/http/webhook/c-5", strings.NewReader(body.String()))
		r.Header.Set("Content-Type", "text/plain")
		code, _ := answered(w, r)
		return code
	}
	b.full = "p7"
	require.Equal(t, http.StatusTooManyRequests, send())
	require.Len(t, b.took, 980)
	b.full = ""
	require.Equal(t, []int{http.StatusOK, http.StatusOK}, []int{send(), send()})
	require.Len(t, b.took, 1000)
	last := map[string]int{}
	for _, took := range b.took {
		var who string
		var n int
		_, err := fmt.Sscanf(took, "c-5: %s says %d", &who, &n)
		require.NoError(t, err)
		require.Greater(t, n, last[who]-1, "%s is behind %d", took, last[who])
		last[who] = n
	}
}

// Given what was taken and what was not, then the figures of the kind say so, and why.
func TestTheFiguresOfRequests(t *testing.T) {
	b, w := newInbox(t)
	for _, token := range []string{"hush", "hush", "wrong"} {
		_, _ = answered(w, posted(own, hello, token))
	}
	b.all[0].Inactive = true
	_, _ = answered(w, posted(own, hello, "hush"))
	_, _ = answered(w, posted("/api/v1/channels/twilio_sms/webhook/c-9", hello, "hush"))
	all, err := b.figures.Gather()
	require.NoError(t, err)
	got := map[string]float64{}
	for _, f := range all {
		for _, m := range f.GetMetric() {
			if labels := m.GetLabel(); m.GetCounter() != nil && f.GetName() != "parley_channel_deliveries_total" {
				got[f.GetName()+" "+labels[len(labels)-1].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	require.Equal(t, map[string]float64{"parley_channel_messages_total twilio_sms": 2, "parley_channel_refusals_total NOT_FOUND": 1,
		"parley_channel_refusals_total UNAUTHORIZED": 1, "parley_channel_refusals_total inactive": 1}, got)
}

// Given a connection that is not active, then nothing is taken that people say by it but that they want no messages.
func TestAStopIsTakenByAConnectionThatIsNotActive(t *testing.T) {
	b, w := newInbox(t)
	b.all[0].Inactive = true
	for _, says := range []string{hello, strings.Replace(hello, "Body=Hi+there", "Body=STOP", 1), strings.Replace(hello, "Body=Hi+there",
		"Body=START", 1)} {
		code, _ := answered(w, posted(own, says, "hush"))
		require.Equal(t, 200, code)
	}
	require.Equal(t, []string{"c-1: +15558675310 says STOP"}, b.took)
}

// Given somebody who presses a button, then their client is told at once that it has come, whatever becomes of it.
func TestWhoPressesAButtonDoesNotWait(t *testing.T) {
	b, w := &inbox{ids: map[string]bool{}, all: []channels.Connection{{ID: "c-1", Kind: "slack"}}}, resttest.NewWorld(t)
	of := buttons{told: make(chan string, 10)}
	channelapi.DeclareWebhooks(w.Api, channelapi.Webhooks{Receivers: map[string]channelapi.Receiver{"slack": of}, Connections: b, Inbox: b,
		PublicURL: func() string { return "https://parley.example.com" }, Now: time.Now})
	b.full = "ann" // nor does who presses it while no more can wait
	r := httptest.NewRequest("POST", "/api/v1/channels/slack/webhook/c-1", strings.NewReader("bob 1.0\nann 1.0\ncid hello\n"))
	status, _ := answered(w, r)
	require.Equal(t, 429, status)
	told := []string{<-of.told, <-of.told}
	slices.Sort(told)
	require.Equal(t, []string{"c-1: ann/1.0", "c-1: bob/1.0"}, told)
	require.Empty(t, of.told)
}

// Given a platform that does not answer who tells it that presses have come, when more come than are told at once, then
// they are taken, and no more are told of meanwhile.
func TestPressesThatCannotBeToldAreTakenAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w := &inbox{ids: map[string]bool{}, all: []channels.Connection{{ID: "c-1", Kind: "slack"}}}, resttest.NewWorld(t)
		of := buttons{told: make(chan string)}
		channelapi.DeclareWebhooks(w.Api, channelapi.Webhooks{Receivers: map[string]channelapi.Receiver{"slack": of}, Connections: b, Inbox: b,
			PublicURL: func() string { return "https://parley.example.com" }, Now: time.Now})
		for n := range 100 {
			r := httptest.NewRequest("POST", "/api/v1/channels/slack/webhook/c-1", strings.NewReader(fmt.Sprintf("p%d 1.0\n", n)))
			status, _ := answered(w, r)
			require.Equal(t, 200, status)
		}
		require.Len(t, b.ids, 100)
		synctest.Wait()
		told := 0
		for waits := true; waits; {
			select {
			case <-of.told:
				told++
				synctest.Wait()
			default:
				waits = false
			}
		}
		require.Equal(t, 64, told)
	})
}
