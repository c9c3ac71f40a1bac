package genesys_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/genesys"
	"github.com/parley-platform/parley/domain/channels"
)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "genesys", External: "shop",
		Credentials: channels.Credentials{genesys.Token: "a-token-of-these-tests"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "genesys", External: "another",
		Credentials: channels.Credentials{genesys.Token: "another-token"}}
)

func request(body string) channels.Request {
	return channels.Request{Method: http.MethodPost, URL: "https://parley.example.com/api/v1/channels/genesys/webhook/shop",
		Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(body), At: time.Unix(1_700_000_000, 0)}
}

// said is an utterance of the bot connector, with its input.
func said(more, input string) channels.Request {
	return request(`{"botId":"b","botVersion":"1.0","botSessionId":"bs-1","genesysConversationId":"gc-1","languageCode":"en-us",` + more +
		`"botSessionTimeout":4320,"chatBot":{"id":"b","name":"Shop"},"parameters":{"k":"v"},"inputMessage":` + input + `}`)
}

func sign(c channels.Connection, r channels.Request) channels.Request {
	r.Header = maps.Clone(r.Header)
	r.Header["Authorization"] = []string{"Bearer " + c.Credentials.Reveal(genesys.Token)}
	return r
}

func one(e channels.Entry) channels.Received {
	e.Thread, e.From, e.ReplyTo, e.Language = "gc-1", "gc-1", "gc-1", "en-us"
	return channels.Received{Entries: []channels.Entry{e}}
}

var button = `{"type":"Structured","text":"Gas","content":[{"contentType":"ButtonResponse",` +
	`"buttonResponse":{"type":"QuickReply","text":"Gas",`

func TestGenesys(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return genesys.New(base) },
		Connection: connection, Outbound: channels.Outbound{Reference: "m-1/0/0", To: "of-another", Text: "Good day to you, Ann."},
		Inbound: &channelstest.Inbound{Sign: sign, Unsigned: "a token is shown, and nothing is signed", Another: another,
			Says: map[string]channelstest.Said{
				"a text": {Request: said(`"messageId":"m-1",`, `{"type":"Text","text":"hi"}`), Want: one(channels.Entry{
					ExternalID: "m-1", Text: "hi"})},
				"one without an id": {Request: said("", `{"type":"Text","text":"hi"}`), Want: one(channels.Entry{
					ExternalID: "aef13eb3a9eec7d792b6a0781c3f4c72", Earlier: []string{"5853162abce7740ba97f6f60b0e0c892",
						"779c362618ada9a1131912c92c7787df", "7c9dece429e1724a3373cad56c55748f", "659f7bc4b10e2014b62e37541eb8dec0"},
					Text: "hi"})},
				"the beginning": {Request: said(`"messageId":"m-2",`, `{"type":"Text","text":" "}`), Want: one(channels.Entry{ExternalID: "m-2",
					Says: channels.Begins})},
				"our button": {Request: said(`"messageId":"m-3",`, button+`"payload":"3.1"}}]}`), Want: one(channels.Entry{ExternalID: "m-3",
					Choice: "3.1", Text: "Gas"})},
				"a button of somebody else": {Request: said(`"messageId":"m-4",`, button+`"payload":"x"}}]}`), Want: one(channels.Entry{
					ExternalID: "m-4", Text: "Gas"})},
			},
			Ignored: map[string]channels.Request{"echo": said("", `{"type":"Event","text":"typing"}`), "nothing": said("", "null")},
			Extend: func(r channels.Request) channels.Request {
				r.Body = []byte(strings.Replace(string(r.Body), "{", `{"new":{"a":[1]},`, 1))
				return r
			}},
	})
}

// Given what an agent leaves, then Architect is told whether to go on, in words that it has.
func TestAnswers(t *testing.T) {
	g, err := genesys.New("")
	require.NoError(t, err)
	hello := []channels.Outbound{{Text: "Hello."}, {Text: "Which?", Choices: []channels.Choice{{Token: "1.0", Label: "A"}}}}
	for name, c := range map[string]struct {
		reply channels.Reply
		want  string
	}{
		"it goes on": {channels.Reply{State: channels.GoesOn, Said: hello}, `{"botState":"MOREDATA","confidence":1,"intent":"Default",` +
			`"replymessages":[{"text":"Hello.","type":"Text"},{"content":[{"contentType":"QuickReply","quickReply":{"payload":"1.0","text":"A"}}],` +
			`"text":"Which?","type":"Structured"}]}`},
		"it takes longer": {channels.Reply{State: channels.Working}, `{"botState":"MOREDATA","confidence":1,"intent":"Default",` +
			`"replymessages":[{"text":"One moment, please.","type":"Text"}]}`},
		"the end": {channels.Reply{State: channels.Ended}, `{"botState":"COMPLETE","confidence":1,"intent":"Default","replymessages":[]}`},
		"people have it": {channels.Reply{State: channels.Escalated},
			`{"botState":"COMPLETE","confidence":1,"intent":"Escalate","replymessages":[]}`},
		"nobody answers": {channels.Reply{State: channels.Unanswered, Code: "GONE"}, `{"botState":"FAILED","confidence":1,` +
			`"errorInfo":{"errorCode":"GONE","errorMessage":"nobody answers"},"intent":"Default","replymessages":[]}`},
	} {
		got := g.Answer(connection, said("", "null"), c.reply)
		require.JSONEq(t, c.want, string(got.Body), name)
		require.True(t, json.Valid(got.Body))
	}
}

// Given a header that the account chose, then the token is there, and nowhere else.
func TestATokenInAHeaderOfItsOwn(t *testing.T) {
	g, err := genesys.New("")
	require.NoError(t, err)
	c := connection
	c.Credentials = channels.Credentials{genesys.Token: "hush", genesys.Header: "x-shop-token"}
	r := said("", "null")
	r.Header = map[string][]string{"X-Shop-Token": {"hush"}}
	require.NoError(t, g.Verify(c, r))
	r.Header = map[string][]string{"Authorization": {"Bearer hush"}}
	require.Error(t, g.Verify(c, r))
}

// Given no id of a message, then the same words within two seconds are one, whenever these begin, and later another.
func TestTheSameWordsLater(t *testing.T) {
	g, err := genesys.New("")
	require.NoError(t, err)
	at := func(after time.Duration) channels.Entry {
		r := said("", `{"type":"Text","text":"yes"}`)
		r.At = time.Unix(1_700_000_000, 0).Add(after)
		got, err := g.Parse(connection, r)
		require.NoError(t, err)
		return got.Entries[0]
	}
	for begins := time.Duration(0); begins < 3*time.Second; begins += 90 * time.Millisecond {
		first := at(begins)
		is := func(later time.Duration) bool {
			e := at(begins + later)
			return e.ExternalID == first.ExternalID || slices.Contains(e.Earlier, first.ExternalID)
		}
		require.True(t, is(time.Millisecond), begins)
		require.True(t, is(2*time.Second), begins)
		require.False(t, is(2600*time.Millisecond), begins)
	}
}
