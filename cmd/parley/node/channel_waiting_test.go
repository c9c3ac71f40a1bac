//go:build !apache

package node_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// architect is a bot connector that talks with an agent.
type architect struct {
	w       threadWorld
	path    string
	session string
}

func (a *architect) utters(t *testing.T, on *server, id, input string) map[string]any {
	t.Helper()
	var out map[string]any
	on.do(t, "POST", a.path, a.body(id, input), "Authorization", "Bearer hush-token").must(t, 200).into(t, &out)
	return out
}

func (a *architect) body(id, input string) string {
	return fmt.Sprintf(`{"botSessionId":"bs","genesysConversationId":%q,"messageId":%q,"languageCode":"en-us","inputMessage":%s}`,
		a.session, id, input)
}

func replied(out map[string]any) (texts []string) {
	for _, m := range out["replymessages"].([]any) {
		texts = append(texts, m.(map[string]any)["text"].(string))
	}
	return texts
}

// Given a contact center that waits for the answer, then it has it in the response, on whichever node, and
// a request that comes again has the same.
func TestAContactCenterWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	door := "shop-" + uuid.NewString()
	made := w.connect(t, fields{"channelType": "genesys", "externalIdentifier": door, "credentials": fields{"token": "hush-token"}})
	a := &architect{w: w, path: "/api/v1/channels/genesys/webhook/" + door, session: uuid.NewString()}
	first := a.utters(t, w.a, "m-1", `{"type":"Text","text":"Hi"}`)
	require.Equal(t, []string{"Good day.", "Which meter?"}, replied(first))
	require.Equal(t, []any{"MOREDATA", "Default"}, []any{first["botState"], first["intent"]})
	require.Equal(t, first, a.utters(t, w.b, "m-1", `{"type":"Text","text":"Hi"}`), "the same request again, on another node")
	which := first["replymessages"].([]any)[1].(map[string]any)
	payload := which["content"].([]any)[1].(map[string]any)["quickReply"].(map[string]any)["payload"]
	second := a.utters(t, w.b, "m-2", fmt.Sprintf(`{"type":"Structured","text":"Gas","content":[{"contentType":"ButtonResponse",`+
		`"buttonResponse":{"type":"QuickReply","text":"Gas","payload":%q}}]}`, payload))
	require.Equal(t, []string{"Your PIN?"}, replied(second))
	last := a.utters(t, w.a, "m-3", `{"type":"Text","text":"1234"}`)
	require.Equal(t, "COMPLETE", last["botState"])
	require.Len(t, replied(last), 1)
	require.Equal(t, []string{"Good day.", "Which meter?"}, replied(a.utters(t, w.a, "m-4", `{"type":"Text","text":"Hi"}`)), "a new session")

	var both sync.WaitGroup // the same one at the same moment
	got := make([]map[string]any, 2)
	for i, on := range []*server{w.a, w.b} {
		both.Go(func() { got[i] = a.utters(t, on, "m-5", `{"type":"Text","text":"gas"}`) })
	}
	both.Wait()
	require.Equal(t, got[0], got[1])
	require.Equal(t, []string{"Your PIN?"}, replied(got[0]))

	sent := w.sent(t, made["id"].(string), 7)
	var shown struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+sent[6]["sessionId"].(string), nil).must(t, 200).into(t, &shown)
	require.Equal(t, []any{"genesys", "ended"}, []any{shown.Session["channel"], shown.Session["status"]})

	hi := a.body("m-9", `{"type":"Text","text":"Hi"}`)
	for name, token := range map[string]string{"none": "", "another": "Bearer another", "raw": "hush-token"} {
		require.Equal(t, 401, w.a.do(t, "POST", a.path, hi, "Authorization", token).Status, name)
		require.Equal(t, 404, w.a.do(t, "POST", a.path+"x", hi, "Authorization", token).Status, name)
	}
	unreadable := w.a.do(t, "POST", a.path, "no JSON", "Authorization", "Bearer hush-token").must(t, 200)
	require.Equal(t, "no-store", unreadable.Header.Get("Cache-Control"))
	w.ask(t, "PATCH", connectionsPath+"/"+made["id"].(string), fields{"isActive": false}).must(t, 200)
	off := a.utters(t, w.a, "m-10", `{"type":"Text","text":"Hi"}`)
	require.Equal(t, []any{"FAILED", "INACTIVE"}, []any{off["botState"], off["errorInfo"].(map[string]any)["errorCode"]})
}

// interpreter is one of VoiceXML in a call.
type interpreter struct {
	on   *server
	path string
	call string
	turn string
}

var nextTurn = regexp.MustCompile(`<var name="turn" expr="'([0-9]+)'"/>`)

// submits sends what a document says, and gives the next one.
func (i *interpreter) submits(t *testing.T, pairs ...string) string {
	t.Helper()
	form := url.Values{"sessionId": {i.call}, "turn": {i.turn}, "from": {"+15550009"}}
	for n := 0; n < len(pairs); n += 2 {
		form.Set(pairs[n], pairs[n+1])
	}
	got := i.on.do(t, "POST", i.path+"?token=hush-token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded").must(t, 200)
	require.Equal(t, "application/voicexml+xml; charset=utf-8", got.Header.Get("Content-Type"))
	if next := nextTurn.FindStringSubmatch(got.Text); next != nil {
		i.turn = next[1]
	}
	return got.Text
}

// answered submits, and goes on waiting where it has to, as a document says that asks for a moment.
func (i *interpreter) answered(t *testing.T, pairs ...string) (said string) {
	t.Helper()
	for said = i.submits(t, pairs...); strings.Contains(said, "One moment"); said = i.submits(t, "event", "wait") {
		continue // the agent is slow: the node answers in time
	}
	return said
}

// Given a call by VoiceXML whose agent is slow, then the caller is told to wait, and has the answer when it
// is there; a turn that is asked for again is the same document; and who hangs up ends the session, even
// while the agent thinks.
func TestACallByVoiceXML(t *testing.T) {
	t.Parallel()
	w := newTooled(t, "1h")
	thinks := make(chan chan struct{}, 9) // each lets the agent go on
	w.answering(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/customers" {
			goOn := make(chan struct{})
			thinks <- goOn
			<-goOn
		}
		out.Header().Set("Content-Type", "application/json")
		_, _ = out.Write([]byte(`{"id":1,"name":"Ann"}`))
	})
	w.deploy(t, "production", fields{"entryAgentName": "shop"})
	w.ask(t, "POST", "/api/tool-secrets", fields{"projectId": mainApp, "toolName": "find", "secretKey": "TOKEN", "value": "s",
		"environment": "production"}).must(t, 201)
	door := "shop-" + uuid.NewString()
	made := w.connect(t, fields{"channelType": "vxml", "externalIdentifier": door, "credentials": fields{"token": "hush-token"}})
	path := "/api/v1/channels/vxml/webhook/" + door
	first := w.a.do(t, "GET", path+"?token=hush-token", nil).must(t, 200)
	require.Contains(t, first.Text, "session.connection.callid")
	require.Contains(t, first.Text, "/webhook/"+door+"?token=hush-token")

	i := &interpreter{on: w.a, path: path, call: uuid.NewString(), turn: "0"}
	require.Contains(t, i.answered(t), "Who are you?")
	again := *i
	again.turn, again.on = "0", w.b
	require.Contains(t, again.answered(t), "Who are you?", "the same turn again")
	require.Equal(t, i.turn, again.turn)
	for range 2 { // one after the other, each of which the interpreter prompted three times
		require.Contains(t, i.answered(t, "event", "noinput"), `<prompt bargein="true">Who are you?</prompt>`)
	}
	waits := i.submits(t, "utterance", "Ann")
	require.Contains(t, waits, "One moment, please.")
	close(<-thinks)
	require.Contains(t, i.answered(t, "event", "wait"), "Ordered for Ann.</prompt><disconnect/>")

	gone := &interpreter{on: w.b, path: path, call: uuid.NewString(), turn: "0"}
	gone.answered(t)
	leaving, over := *gone, make(chan string)
	go func() { over <- gone.submits(t, "utterance", "Bob") }()
	goOn := <-thinks
	leaving.submits(t, "event", "hangup")
	<-over
	var page struct{ Sessions []map[string]any }
	require.Eventually(t, func() bool {
		w.ask(t, "GET", sessionsPath+"?status=ended", nil).must(t, 200).into(t, &page)
		return len(page.Sessions) == 2
	}, patience, 20*time.Millisecond)
	close(goOn)
	for _, s := range page.Sessions {
		require.Equal(t, "vxml", s["channel"])
	}
	w.ask(t, "GET", "/api/contacts/lookup?identity=%2B15550009&identityType=phone", nil).must(t, 200)
	lost := &interpreter{on: w.a, path: path, call: uuid.NewString(), turn: "0"} // which does not say that its caller hung up
	lost.answered(t)
	require.Contains(t, lost.submits(t, "utterance", "Cy"), "One moment, please.")
	close(<-thinks)
	figures := w.a.do(t, "GET", "/metrics", nil).Text
	require.True(t, strings.Contains(figures, `parley_channel_replies_open_seconds{kind="slack"} 0`), "of those that are sent")
	require.False(t, strings.Contains(figures, `parley_channel_replies_open_seconds{kind="vxml"}`), "what waits for a request is on no way")
	require.Equal(t, 401, w.a.do(t, "GET", path+"?token=another", nil).Status)
	w.ask(t, "PATCH", connectionsPath+"/"+made["id"].(string), fields{"isActive": false}).must(t, 200)
	require.Contains(t, (&interpreter{on: w.a, path: path, call: "c", turn: "0"}).submits(t), "nobody can answer")
}
