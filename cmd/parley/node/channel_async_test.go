//go:build !apache

package node_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

const asyncPath = "/api/v1/channels/http_async/messages"

// posts has a program say something, and answers the id of that.
func (w threadWorld) posts(t *testing.T, body fields, headers ...string) string {
	t.Helper()
	var out struct {
		Success   bool
		MessageID string
	}
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp}.and(body), headers...).must(t, 202).into(t, &out)
	require.True(t, out.Success)
	require.Regexp(t, `^[0-9a-f]{32}\.[0-9]+$`, out.MessageID)
	return out.MessageID
}

// answered is a message once its turn is over.
func (w threadWorld) answered(t *testing.T, id, status string) (message map[string]any) {
	t.Helper()
	var out struct{ Message map[string]any }
	require.Eventually(t, func() bool {
		out.Message = nil
		w.ask(t, "GET", asyncPath+"/"+id, nil).must(t, 200).into(t, &out)
		return out.Message["status"] == status
	}, patience, 20*time.Millisecond)
	return out.Message
}

func textsOf(message map[string]any) (texts []string) {
	for _, r := range message["replies"].([]any) {
		texts = append(texts, r.(map[string]any)["text"].(string))
	}
	return texts
}

// Given a conversation of many messages, then each is found with what was said to it alone, the first as well as the last, and one
// that was never posted is not.
func TestEachMessageOfALongConversationIsFound(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	w.connect(t, fields{"channelType": "http_async", "externalIdentifier": "shop-" + uuid.NewString()})
	var posted []string
	for range 40 {
		posted = append(posted, w.posts(t, fields{"message": "Hi", "conversation": "order-1"}))
	}
	for i, id := range posted {
		said := []string{"Which meter?"} // three times more, and then the agent gives up
		switch {
		case i == 0:
			said = []string{"Good day.", "Which meter?"}
		case i > 3:
			said = nil
		}
		require.Equal(t, said, textsOf(w.answered(t, id, "answered")), "what is said to message %d", i+1)
	}
	w.ask(t, "GET", asyncPath+"/"+strings.TrimSuffix(posted[39], ".40")+".41", nil).refused(t, 404, fault.NotFound)
}

// Given a bound of one session, when many write by a channel, then all are answered, and none is in the way of a chat.
func TestWhoWritesByAChannelIsNoConcurrentSession(t *testing.T) {
	t.Parallel()
	w := threadWorld{talkWorld: newTalkWorld(t)}
	w.deploy(t, "production")
	w.connect(t, fields{"channelType": "http_async", "externalIdentifier": "shop-" + uuid.NewString()})
	w.posted(t, nil, settingsOf(fields{"limits": fields{"concurrentSessions": 1}})).must(t, 200)
	for range 2 {
		w.answered(t, w.posts(t, fields{"message": "Hi"}), "answered")
	}
	chat := fields{"projectId": mainApp, "message": "Hi"}
	w.ask(t, "POST", "/api/v1/chat/agent", chat).must(t, 200)
	w.ask(t, "POST", "/api/v1/chat/agent", chat).refused(t, 429, fault.RateLimit)
	w.answered(t, w.posts(t, fields{"message": "Hi"}), "answered")
}

// Given a door for programs, when one posts a message, then it is taken at once, once, and the answer is
// there for whoever comes back for it.
func TestAProgramComesBackForItsAnswer(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "Hi"}).refused(t, 404, fault.NotFound)
	door := "shop-" + uuid.NewString()
	made := w.connect(t, fields{"channelType": "http_async", "externalIdentifier": door})

	hi := fields{"message": "Hi", "conversation": "order-1", "messageId": "m-1", "connection": door, "from": "ann", "name": "Ann"}
	first := w.posts(t, hi)
	require.Equal(t, first, w.posts(t, hi), "the same message again")
	other := w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "Ho", "conversation": "order-1", "messageId": "m-1"}).
		refused(t, 409, fault.Conflict)
	require.Contains(t, other.Text, "this messageId was used with another request", "as the caller calls it")
	got := w.answered(t, first, "answered")
	require.ElementsMatch(t, []string{"messageId", "status", "sessionId", "action", "replies", "code", "reason", "receivedAt"}, keysOf(got))
	require.Equal(t, []string{"Good day.", "Which meter?"}, textsOf(got))
	require.Equal(t, []any{"continue", nil, nil}, []any{got["action"], got["code"], got["reason"]})
	choices := got["replies"].([]any)[1].(map[string]any)["choices"].([]any)
	require.Len(t, choices, 2)
	second := w.posts(t, fields{"choice": choices[1].(map[string]any)["id"], "conversation": "order-1", "from": "ann"})
	require.Equal(t, []string{"Your PIN?"}, textsOf(w.answered(t, second, "answered")))
	bye := fields{"message": "1234", "sessionId": got["sessionId"], "from": "ann", "messageId": "m-3"}
	last := w.posts(t, bye)
	require.Equal(t, "end", w.answered(t, last, "answered")["action"])
	require.Equal(t, last, w.posts(t, bye), "the same again, which has ended the session")
	require.Equal(t, []string{"Good day.", "Which meter?"}, textsOf(w.answered(t, first, "answered")), "each has its own")
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "x", "sessionId": got["sessionId"]}).refused(t, 409, fault.Conflict)

	key := uuid.NewString()
	once := w.posts(t, fields{"message": "Hi"}, "Idempotency-Key", key)
	require.Equal(t, once, w.posts(t, fields{"message": "Hi"}, "Idempotency-Key", key))
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "Ho"}, "Idempotency-Key", key).refused(t, 409, fault.Conflict)
	require.NotEqual(t, got["sessionId"], w.answered(t, once, "answered")["sessionId"], "a conversation of its own")

	var shown struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+got["sessionId"].(string), nil).must(t, 200).into(t, &shown)
	require.Equal(t, []any{"http_async", "ended"}, []any{shown.Session["channel"], shown.Session["status"]})
	var listed struct{ Total int }
	w.ask(t, "GET", sessionsPath+"?channel=http_async&status=ended", nil).must(t, 200).into(t, &listed)
	require.Positive(t, listed.Total)
	w.ask(t, "GET", "/api/contacts/lookup?identity=http_async%3Aann&identityType=external", nil).must(t, 200)
	w.sent(t, made["id"].(string), 6)

	for _, none := range []string{"none", first + "x", first[:32] + ".99", "0" + first} {
		w.ask(t, "GET", asyncPath+"/"+none, nil).refused(t, 404, fault.NotFound)
	}
	for field, body := range map[string]fields{"message": {}, "choice": {"choice": "9.9", "conversation": "order-1"},
		"callbackUrl": {"message": "x", "callbackUrl": w.URL}, "conversation": {"message": "x", "conversation": "a", "sessionId": "b"}} {
		w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "connection": door}.and(body)).refused(t, 400, fault.Validation, field)
	}
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "x", "connection": "nobody's"}).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "x", "sessionId": uuid.NewString()}).refused(t, 404, fault.NotFound)
	stranger := w.cluster.tenant(t, "")
	require.Equal(t, 404, w.a.do(t, "GET", asyncPath+"/"+first, nil, "Authorization", "Bearer "+stranger.token(t)).Status)
	w.ask(t, "PATCH", connectionsPath+"/"+made["id"].(string), fields{"isActive": false}).must(t, 200)
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "x", "connection": door}).refused(t, 409, fault.Conflict)
}

// Given a message that was taken by the only door there was, when another door is made and the sender tries again without naming one, then
// it is the same message; and who goes on in the session does so by the door by which that came.
func TestAMessageIsKnownAgainAtTheDoorThatTookIt(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	first := w.connect(t, fields{"channelType": "http_async", "externalIdentifier": "old-" + uuid.NewString()})
	hi, key := fields{"message": "Hi"}, uuid.NewString()
	named := fields{"message": "Hi", "conversation": "order-1", "messageId": "m-1"}
	keyed, own := w.posts(t, hi, "Idempotency-Key", key), w.posts(t, named)
	newest := "new-" + uuid.NewString()
	w.connect(t, fields{"channelType": "http_async", "externalIdentifier": newest})

	require.Equal(t, keyed, w.posts(t, hi, "Idempotency-Key", key), "by its key")
	require.Equal(t, own, w.posts(t, named), "by its own id")
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "Ho"}, "Idempotency-Key", key).refused(t, 409, fault.Conflict)
	require.NotEqual(t, own, w.posts(t, named.and(fields{"connection": newest})), "by the door that is named")

	within := fields{"message": "1", "sessionId": w.answered(t, keyed, "answered")["sessionId"]}
	require.Equal(t, strings.TrimSuffix(keyed, ".1")+".2", w.posts(t, within), "the conversation goes on")
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "connection": newest}.and(within)).refused(t, 400, fault.Validation, "sessionId")
	w.ask(t, "PATCH", connectionsPath+"/"+first["id"].(string), fields{"isActive": false}).must(t, 200)
	require.Equal(t, keyed, w.posts(t, hi, "Idempotency-Key", key), "also where that door takes nothing new")
	w.ask(t, "POST", asyncPath, fields{"projectId": mainApp}.and(within)).refused(t, 409, fault.Conflict)
}

// Given somebody who chose from a menu, when they are erased, then their program is told as much, of the reply with the menu too.
func TestAProgramComesBackForAnErasedAnswer(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t, erasesSoon)
	w.connect(t, fields{"channelType": "http_async", "externalIdentifier": "shop-" + uuid.NewString()})
	id := w.posts(t, fields{"message": "Hi", "conversation": "order-1", "from": "ann"})
	require.Equal(t, []string{"Good day.", "Which meter?"}, textsOf(w.answered(t, id, "answered")))
	w.ask(t, "POST", erasuresPath, fields{"identities": []fields{{"kind": "external", "value": "http_async:ann"}}}).must(t, 202)
	var out struct{ Message map[string]any }
	until(t, "the answers to be erased", func() bool {
		out.Message = nil
		w.ask(t, "GET", asyncPath+"/"+id, nil).must(t, 200).into(t, &out)
		return slices.Equal([]string{"[erased]", "[erased]"}, textsOf(out.Message))
	})
	require.Empty(t, out.Message["replies"].([]any)[1].(map[string]any)["choices"], "nobody presses them any more")
}

// postbox is an address of a program: it keeps what is posted there, each reply once, and says what its answer is.
type postbox struct {
	*httptest.Server
	mu     sync.Mutex
	took   []map[string]any
	status []int // of the next ones; then 200
}

func newPostbox(t *testing.T, secret string) *postbox {
	r := &postbox{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case req.Header.Get("X-Callback-Signature") != "sha256="+hex.EncodeToString(mac.Sum(nil)):
			w.WriteHeader(http.StatusUnauthorized)
		case len(r.status) > 0:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(r.status[0])
			r.status = r.status[1:]
		default:
			var posted map[string]any
			_ = json.Unmarshal(body, &posted)
			if !slices.ContainsFunc(r.took, func(one map[string]any) bool { return one["replyId"] == posted["replyId"] }) {
				r.took = append(r.took, posted)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *postbox) has(t *testing.T, want int) (all []map[string]any) {
	t.Helper()
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		all = r.took
		return len(all) >= want
	}, patience, 20*time.Millisecond)
	require.Len(t, all, want)
	return all
}

// Given an address for the answers, then each is posted there, signed, in their order, also where it was
// not taken at first; and each to where its message wanted it.
func TestAnswersArePostedToAProgram(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	door := "shop-" + uuid.NewString()
	w.connect(t, fields{"channelType": "http_async", "externalIdentifier": door, "credentials": fields{"callbackSecret": "hush-secret"}})
	one, two := newPostbox(t, "hush-secret"), newPostbox(t, "hush-secret")
	one.status = []int{503, 429}
	first := w.posts(t, fields{"message": "Hi", "conversation": "c", "connection": door, "callbackUrl": one.URL + "/told"})
	second := w.posts(t, fields{"message": "gas", "conversation": "c", "connection": door, "callbackUrl": two.URL})
	told := one.has(t, 2)
	require.ElementsMatch(t, []string{"messageId", "replyId", "text", "choices"}, keysOf(told[0]))
	require.Equal(t, []string{"Good day.", "Which meter?"}, lines(told, "text"))
	require.Equal(t, []string{first, first}, lines(told, "messageId"))
	require.Len(t, told[1]["choices"], 2)
	require.Equal(t, []string{second}, lines(two.has(t, 1), "messageId"))
	require.Equal(t, []string{"Your PIN?"}, textsOf(w.answered(t, second, "answered")), "and asked for")
	for _, inward := range []string{"http://10.0.0.1/", one.URL + "#x", "ftp://example.com"} {
		w.ask(t, "POST", asyncPath, fields{"projectId": mainApp, "message": "x", "callbackUrl": inward}).
			refused(t, 400, fault.Validation, "callbackUrl")
	}
}
