package channels_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/adapters/channels/graph/graphtest"
	"github.com/parley-platform/parley/adapters/channels/whatsapp"
	"github.com/parley-platform/parley/domain/channels"
	channelapi "github.com/parley-platform/parley/handlers/rest/channels"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

const whole = "/api/v1/channels/whatsapp/webhook" // that all connections share

// number is a connection of WhatsApp.
func number(n int, secret string) channels.Connection {
	return channels.Connection{ID: fmt.Sprint("n-", n), Kind: "whatsapp", External: fmt.Sprint(n), Credentials: channels.Credentials{
		graph.AppSecret: channels.Secret(secret), graph.VerifyToken: channels.Secret("word of " + secret)}}
}

// says is what Ann says to a number.
func says(n int, id, text string) string {
	return fmt.Sprintf(`{"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"%d"},`+
		`"messages":[{"from":"16505551234","id":"wamid.%s","type":"text","text":{"body":"%s"}}]}}]}`, n, id, text)
}

// batch is a request of Meta with entries, signed with a secret.
func batch(path, secret string, entries ...string) *http.Request {
	as := graphtest.Sign(number(0, secret), graphtest.Post("whatsapp", `{"object":"whatsapp_business_account","entry":[`+
		strings.Join(entries, ",")+`]}`))
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(as.Body)))
	r.Header = as.Header
	return r
}

// Given entries of several accounts in one request, then each is judged by its own connection's
// secret: what does not verify is dropped, the rest counts.
func TestEachEntryIsJudgedByItsOwnConnection(t *testing.T) {
	b, w := newInbox(t)
	b.all = []channels.Connection{number(1, "one app"), number(2, "one app"), number(3, "another app")}
	all := []string{says(1, "a", "hi"), says(3, "b", "of another app"), says(9, "c", "to nobody"), says(2, "d", "ho")}
	for range 2 {
		code, answer := answered(w, batch(whole, "one app", all...))
		require.Equal(t, 200, code, answer)
	}
	want := []string{"n-1: 16505551234 says hi", "n-2: 16505551234 says ho"}
	require.Equal(t, want, b.took)
	code, _ := answered(w, batch(whole+"/n-3", "another app", all...))
	require.Equal(t, 200, code)
	require.Equal(t, append(want, "n-3: 16505551234 says of another app"), b.took, "on its own path a connection gets its own")
	code, _ = answered(w, batch(whole, "nobody's app", all...))
	require.Equal(t, 401, code)
	code, _ = answered(w, batch(whole, "one app", says(9, "c", "to nobody")))
	require.Equal(t, 404, code)
	require.Len(t, b.took, 3)
}

// Given entries of more accounts than judge a request at once, then all get theirs if one of the first
// believes it, and the others are not asked if none does.
func TestAsManyAccountsAsMetaPutsIntoOneRequest(t *testing.T) {
	b, w := newInbox(t)
	b.all = nil
	var all []string
	for n := range 250 {
		secret := "one app"
		if n%100 == 50 {
			secret = "another app"
		}
		b.all = append(b.all, number(n, secret))
		all = append(all, says(n, fmt.Sprint(n), "hi"))
	}
	code, _ := answered(w, batch(whole, "one app", all...))
	require.Equal(t, 200, code)
	require.Equal(t, 248, len(b.took))
	before := b.asked
	code, _ = answered(w, batch(whole, "nobody's app", all...))
	require.Equal(t, 401, code)
	require.Equal(t, before+1, b.asked)
}

// Given a conversation in which no more can wait, then the others get what is theirs, and the provider
// sends all of it again.
func TestAFullConversationHoldsUpNoOther(t *testing.T) {
	b, w := newInbox(t)
	b.all = []channels.Connection{number(1, "one app"), number(2, "one app")}
	b.full = "1:16505551234"
	code, _ := answered(w, batch(whole, "one app", says(1, "a", "hi"), says(2, "b", "ho"), says(1, "c", "and?")))
	require.Equal(t, 429, code)
	require.Equal(t, []string{"n-2: 16505551234 says ho"}, b.took)
	b.full = ""
	code, _ = answered(w, batch(whole, "one app", says(1, "a", "hi"), says(2, "b", "ho"), says(1, "c", "and?")))
	require.Equal(t, 200, code)
	require.Equal(t, []string{"n-2: 16505551234 says ho", "n-1: 16505551234 says hi", "n-1: 16505551234 says and?"}, b.took)
}

// Given Meta's question on the shared path, then the connection whose word it shows answers.
func TestMetasQuestionOnTheSharedPath(t *testing.T) {
	b, w := newInbox(t)
	b.all = []channels.Connection{number(1, "one app"), number(2, "another app")}
	for path, want := range map[string]int{whole + "?hub.verify_token=word+of+another+app": 200, whole + "?hub.verify_token=x": 403,
		whole + "/n-2?hub.verify_token=word+of+another+app": 200, whole + "/n-1?hub.verify_token=word+of+another+app": 403,
		whole + "?hub.verify_token=": 403} {
		code, answer := answered(w, httptest.NewRequest(http.MethodGet, path+"&hub.mode=subscribe&hub.challenge=1158201444", nil))
		require.Equal(t, want, code, path)
		require.Equal(t, want == 200, answer == "1158201444", path)
	}
}

// judged counts how often a request is judged.
type judged struct {
	channelapi.Receiver
	times *int
}

func (j judged) Verify(c channels.Connection, r channels.Request) error {
	*j.times++
	return j.Receiver.Verify(c, r)
}

// Given a large request that nobody has signed, then it is judged by a few of the connections that it names,
// and no more; a small one, and one that is believed, by all.
func TestWhatNobodySignedCostsLittle(t *testing.T) {
	b, times := &inbox{ids: map[string]bool{}, figures: prometheus.NewRegistry()}, 0
	by, err := whatsapp.New("")
	require.NoError(t, err)
	w := resttest.NewWorld(t)
	channelapi.DeclareWebhooks(w.Api, channelapi.Webhooks{Receivers: map[string]channelapi.Receiver{"whatsapp": judged{by, &times}},
		Connections: b, Inbox: b, PublicURL: func() string { return "https://parley.example.com" },
		Now: func() time.Time { return time.Unix(1_700_000_000, 0) }})
	small, large := []string{}, []string{says(99, "x", strings.Repeat("x", 900_000))}
	for n := range 60 {
		b.all = append(b.all, number(n, "one app"))
		small, large = append(small, says(n, fmt.Sprint(n), "hi")), append(large, says(n, fmt.Sprint(n), "hi"))
	}
	for _, c := range []struct {
		secret  string
		entries []string
		status  int
		times   int
	}{{"nobody's app", small, 401, 60}, {"nobody's app", large, 401, 19}, {"one app", large, 200, 60}} {
		times = 0
		status, _ := answered(w, batch(whole, c.secret, c.entries...))
		require.Equal(t, []int{c.status, c.times}, []int{status, times}, c.secret)
	}
}
