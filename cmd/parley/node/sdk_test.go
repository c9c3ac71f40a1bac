//go:build !apache

package node_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// widgetBegun is what sdk-init answers.
type widgetBegun struct {
	Success          bool
	Token, SessionID string
	ExpiresIn        int
	Config           map[string]any
}

// Given the public key, which is everybody's, then no Idempotency-Key gives one caller what another began.
func TestWhatAPageBeganIsGivenToNobodyElse(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	w.deploy(t, "production")
	w.widget(t, nil)
	begin := func() widgetBegun {
		return w.init(t, nil, "X-Public-Key", w.key, "Origin", shop, "Idempotency-Key", "1")
	}
	one, other := begin(), begin()
	require.NotEqual(t, one.SessionID, other.SessionID)
	require.NotEqual(t, one.Token, other.Token)
}

func (w sdkWorld) init(t *testing.T, body fields, headers ...string) (out widgetBegun) {
	t.Helper()
	w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias}.and(body), headers...).must(t, 200).into(t, &out)
	require.True(t, out.Success)
	return out
}

func TestAnSDKChannelIsMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	made := w.widget(t, nil, "Idempotency-Key", "once")
	require.ElementsMatch(t, []string{"id", "tenantId", "projectId", "name", "channelType", "deploymentId", "publicApiKeyId", "config",
		"isActive", "environment", "followEnvironment", "createdAt", "updatedAt"}, keysOf(made))
	require.Regexp(t, "^sdk-"+uuidForm+"$", made["id"])
	require.Regexp(t, isoForm, made["createdAt"])
	require.Equal(t, []any{w.id, mainApp, "Shop", "web", nil, w.keyID, map[string]any{}, true, "production", true}, []any{made["tenantId"],
		made["projectId"], made["name"], made["channelType"], made["deploymentId"], made["publicApiKeyId"], made["config"],
		made["isActive"], made["environment"], made["followEnvironment"]})
	require.Equal(t, made, w.widget(t, nil, "Idempotency-Key", "once"), "the same request again")
	d := w.deploy(t, "staging")
	other := w.widget(t, fields{"channelType": "mobile_ios", "environment": "staging", "followEnvironment": false, "deploymentId": d["id"],
		"isActive": false, "config": fields{"mode": "unified", "own": 1}})
	require.Equal(t, []any{"mobile_ios", "staging", false, d["id"], false, map[string]any{"mode": "unified", "own": 1.}}, []any{
		other["channelType"], other["environment"], other["followEnvironment"], other["deploymentId"], other["isActive"], other["config"]})

	pinned := fields{"followEnvironment": false, "deploymentId": d["id"]}
	require.Equal(t, "staging", w.widget(t, pinned.and(fields{"isActive": false}))["environment"], "that of its deployment")
	require.Equal(t, "dev", w.widget(t, pinned.and(fields{"isActive": false, "environment": "dev"}))["environment"], "as it was said")

	var page struct {
		Channels   []map[string]any
		Pagination map[string]int
	}
	w.ask(t, "GET", sdkChannelsPath+"?limit=1&offset=2", nil).must(t, 200).into(t, &page)
	require.Equal(t, []map[string]any{other}, page.Channels)
	require.Equal(t, map[string]int{"total": 4, "limit": 1, "offset": 2}, page.Pagination)
	path := sdkChannelsPath + "/" + made["id"].(string)
	require.Equal(t, made, w.ask(t, "GET", path, nil).must(t, 200).channel(t))

	changed := w.ask(t, "PATCH", path, fields{"name": "Other", "channelType": "voice", "deploymentId": d["id"],
		"followEnvironment": false, "config": fields{"mode": "voice"}, "isActive": false}).must(t, 200).channel(t)
	require.Equal(t, []any{"Other", "voice", "staging", d["id"], false, map[string]any{"mode": "voice"}, false, made["createdAt"]}, []any{
		changed["name"], changed["channelType"], changed["environment"], changed["deploymentId"], changed["followEnvironment"],
		changed["config"], changed["isActive"], changed["createdAt"]})
	w.ask(t, "PATCH", path, fields{"deploymentId": nil}).refused(t, 400, fault.Validation, "deploymentId")
	changed = w.ask(t, "PATCH", path, fields{"deploymentId": nil, "followEnvironment": true, "config": nil}).must(t, 200).channel(t)
	require.Equal(t, []any{nil, true, map[string]any{}}, []any{changed["deploymentId"], changed["followEnvironment"], changed["config"]})

	secret, _ := w.keyOfKind(t, mainScope, access.SecretKey)
	_, foreign := w.keyOfKind(t, otherScope, access.PublicKey, shop)
	_, secretID := w.keyOfKind(t, mainScope, access.SecretKey)
	for field, bodies := range map[string][]fields{"name": {{"name": ""}}, "channelType": {{"channelType": "fax"}},
		"publicApiKeyId": {{"publicApiKeyId": foreign}, {"publicApiKeyId": secretID}, {"publicApiKeyId": "ak-none"}},
		"deploymentId":   {{"followEnvironment": false}, {"deploymentId": "d-none"}}, "environment": {{"environment": "moon"}},
		"config": {{"config": "x"}}, "config.mode": {{"config": fields{"mode": "fax"}}},
		"config.position": {{"config": fields{"position": "middle"}}}} {
		for _, body := range bodies {
			w.ask(t, "PATCH", path, body).refused(t, 400, fault.Validation, field)
			w.ask(t, "POST", sdkChannelsPath, fields{"name": "Shop", "channelType": "web", "publicApiKeyId": w.keyID}.and(body)).refused(t, 400,
				fault.Validation, field)
		}
	}
	stranger := w.cluster.tenant(t, "")
	elsewhere := w.talkWorld.tenant.key(t, otherScope)
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		w.b.do(t, method, path, bodyIf(method == "PATCH", `{}`), "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
		w.b.do(t, method, path, bodyIf(method == "PATCH", `{}`), "X-API-Key", elsewhere).refused(t, 404, fault.NotFound)
		w.b.do(t, method, path, bodyIf(method == "PATCH", `{}`), "auth", w.grant(t, testClient)).refused(t, 403, fault.Forbidden)
	}
	w.b.do(t, "DELETE", path, nil, "X-API-Key", secret, "Idempotency-Key", "bye").must(t, 204)
	w.b.do(t, "DELETE", path, nil, "X-API-Key", secret, "Idempotency-Key", "bye").must(t, 204)
	w.b.do(t, "DELETE", path, nil, "X-API-Key", secret, "Idempotency-Key", "other").refused(t, 404, fault.NotFound)
	w.ask(t, "GET", path, nil).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", path+"/token", nil).refused(t, 404, fault.NotFound)
}

func TestAWidgetBeginsAndTalks(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	key := []string{"X-API-Key", w.key, "Origin", shop}
	w.b.do(t, "GET", sdkConfig, nil, key...).refused(t, 404, fault.NotFound)
	channel := w.widget(t, fields{"config": fields{"welcomeMessage": "Hi", "theme": fields{"primaryColor": "red", "own": 1}}})
	got := w.b.do(t, "GET", sdkConfig, nil, key...).must(t, 200)
	require.JSONEq(t, `{"success":true,"projectId":"`+mainApp+`","permissions":{"chat":true,"voice":false},"config":{"mode":"chat",
		"position":"bottom-right","theme":{"primaryColor":"red","darkMode":false,"fontFamily":"system-ui, sans-serif","borderRadius":"8px",
		"logoUrl":null,"own":1},"welcomeMessage":"Hi","placeholderText":"Type a message","voiceEnabled":false,"chatEnabled":true}}`, got.Text)
	require.Equal(t, []string{"public, max-age=60", shop, "Origin, X-API-Key, X-Public-Key"}, []string{got.Header.Get("Cache-Control"),
		got.Header.Get("Access-Control-Allow-Origin"), got.Header.Get("Vary")})

	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	require.Equal(t, []any{1800, "Hi"}, []any{begun.ExpiresIn, begun.Config["welcomeMessage"]})
	var one struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+begun.SessionID, nil).must(t, 200).into(t, &one)
	require.Equal(t, []any{"web", "production", "active"}, []any{one.Session["channel"], one.Session["environment"], one.Session["status"]})

	mine := []string{"X-SDK-Token", begun.Token, "Origin", shop}
	var said chatAnswer
	w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi"}, mine...).must(t, 200).into(t, &said)
	require.Equal(t, []any{begun.SessionID, "Good day.\nWhich meter?"}, []any{said.SessionID, said.Response})
	w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": "gas"}, mine...).must(t, 200)
	streams := func(by []string) *answer {
		body := fields{"projectId": mainAlias, "messages": []fields{{"role": "user", "content": "Hi"}}}
		told := w.b.do(t, "POST", "/api/v1/chat/stream", body, append(by, "Idempotency-Key", "the pages' own")...).must(t, 200)
		require.Contains(t, told.Text, "event: complete")
		return told
	}
	require.Empty(t, streams(mine).Header.Get("Idempotency-Replayed"))
	require.Equal(t, "true", streams(mine).Header.Get("Idempotency-Replayed"))
	var transcript struct{ Messages []map[string]any }
	w.b.do(t, "GET", "/api/v1/sessions/"+begun.SessionID+"/transcripts", nil, mine...).must(t, 200).into(t, &transcript)
	require.Equal(t, "Hi", transcript.Messages[0]["content"])
	w.b.do(t, "POST", "/api/v1/feedback", fields{"sessionId": begun.SessionID, "messageId": transcript.Messages[1]["id"], "rating": "up"},
		mine...).must(t, 200)
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--x--\r\n"
	attach := "/api/projects/" + mainAlias + "/sessions/" + begun.SessionID + "/attachments"
	w.b.do(t, "POST", attach, form, append(mine, "Content-Type", "multipart/form-data; boundary=x")...).must(t, 201)

	// Another session does not exist to it, and nothing else is opened.
	other := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	require.NotEqual(t, begun.SessionID, other.SessionID)
	require.Empty(t, streams([]string{"X-SDK-Token", other.Token, "Origin", shop}).Header.Get("Idempotency-Replayed"), "what others were told")
	for _, refused := range []*answer{
		w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi", "sessionId": other.SessionID}, mine...),
		w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": otherApp, "message": "Hi"}, mine...),
		w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": other.SessionID, "message": "Hi"}, mine...),
		w.b.do(t, "GET", "/api/v1/sessions/"+other.SessionID+"/transcripts", nil, mine...),
		w.b.do(t, "POST", strings.Replace(attach, begun.SessionID, other.SessionID, 1), form,
			append(mine, "Content-Type", "multipart/form-data; boundary=x")...),
		w.b.do(t, "POST", "/api/v1/feedback", fields{"sessionId": other.SessionID, "messageId": "m", "rating": "up"}, mine...),
	} {
		refused.refused(t, 404, fault.NotFound)
	}
	for method, paths := range map[string][]string{"GET": {sessionsPath, sessionsPath + "/" + begun.SessionID, sdkChannelsPath, sdkConfig},
		"DELETE": {sessionsPath + "/" + begun.SessionID}, "POST": {"/api/v1/chat/complete", sdkInit}} {
		for _, path := range paths {
			w.b.do(t, method, path, bodyIf(method == "POST", `{}`), mine...).refused(t, 401, fault.Unauthorized)
		}
	}
	w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi", "testContext": fields{}}, mine...).refused(t, 403,
		fault.Forbidden)

	// The session goes on with another token; one that no widget has begun does not.
	require.Equal(t, begun.SessionID, w.init(t, fields{"sessionId": begun.SessionID}, "X-Public-Key", w.key, "Origin", shop).SessionID)
	for _, id := range []string{w.begin(t, "meter"), "none"} {
		w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias, "sessionId": id}, "X-Public-Key", w.key, "Origin", shop).refused(t, 404,
			fault.NotFound)
	}
	w.ask(t, "DELETE", sessionsPath+"/"+other.SessionID, nil).must(t, 200)
	w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias, "sessionId": other.SessionID}, "X-Public-Key", w.key, "Origin", shop).refused(t,
		409, fault.Conflict)

	// What is not active, or deleted, opens nothing any more.
	w.ask(t, "PATCH", sdkChannelsPath+"/"+channel["id"].(string), fields{"isActive": false}).must(t, 200)
	w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi"}, mine...).refused(t, 401, fault.Unauthorized)
	w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias}, "X-Public-Key", w.key, "Origin", shop).refused(t, 404, fault.NotFound)
}

// Given a widget whose deployment is retired while it talks, then its session is gone when it comes again, and another
// one begins with what is deployed now.
// A session that waits for a callback tells its page so, and not by what the answer comes: where nothing signs it, that is
// all that it takes to give one.
func TestAWidgetIsNotToldTheCallback(t *testing.T) {
	t.Parallel()
	tools := newTooled(t, "1h")
	w := sdkWorldOf(t, tools.talkWorld)
	w.deploy(t, "dev", fields{"entryAgentName": "shop"}) // where the tool has its secret
	w.widget(t, fields{"environment": "dev"})
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	mine := []string{"X-SDK-Token", begun.Token, "Origin", shop}
	var said chatAnswer
	for n, text := range []string{"Hello", "payer"} {
		w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": text},
			append(mine, "Idempotency-Key", strconv.Itoa(n))...).must(t, 200).into(t, &said)
	}
	_, bodies := tools.seen()
	callback := bodies[len(bodies)-1]["id"].(string)
	require.Equal(t, "suspended", said.Action.Type)
	require.NotEmpty(t, callback)
	send := fields{"sessionId": begun.SessionID, "message": "payer"}
	again := w.b.do(t, "POST", "/api/v1/chat/send", send, append(mine, "Idempotency-Key", "1")...).must(t, 200)
	run := w.b.do(t, "POST", "/api/v1/channels/ag_ui/runs", fields{"threadId": begun.SessionID, "runId": "1",
		"messages": []fields{{"id": "u", "role": "user", "content": "payer"}}}, mine...)
	for _, told := range []string{again.Text, run.Text} {
		require.Contains(t, told, "suspended")
		require.NotContains(t, told, callback)
	}
	require.Equal(t, callback, tools.stands(t, begun.SessionID)["suspension"].(map[string]any)["callbackId"], "who may read sessions is")
}

func TestAWidgetDoesNotGoOnWithWhatIsRetired(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.a = c.start(t, func(c *node.Config) { c.DeploymentDrain = time.Millisecond })
	c.b = c.a
	w := sdkWorldOf(t, c.talks(t))
	w.widget(t, nil)
	page := []string{"X-Public-Key", w.key, "Origin", shop}
	begun := w.init(t, nil, page...)
	var one struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+begun.SessionID, nil).must(t, 200).into(t, &one)
	next := w.deploy(t, "production")
	require.Equal(t, begun.SessionID, w.init(t, fields{"sessionId": begun.SessionID}, page...).SessionID, "promoted over, it goes on")

	retired := one.Session["deploymentId"].(string)
	w.ask(t, "POST", agentDeployments+"/"+retired+"/retire", nil).must(t, 200)
	time.Sleep(10 * time.Millisecond)
	w.b.do(t, "POST", "/api/v1/chat/send", fields{"sessionId": begun.SessionID, "message": "Hi"}, "X-SDK-Token", begun.Token, "Origin",
		shop).refused(t, 410, fault.Gone)
	w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias, "sessionId": begun.SessionID}, page...).refused(t, 410, fault.Gone)
	other := w.init(t, nil, page...)
	w.ask(t, "GET", sessionsPath+"/"+other.SessionID, nil).must(t, 200).into(t, &one)
	require.Equal(t, next["id"], one.Session["deploymentId"])
}

// What a channel's config says of chat and voice is more than what a page shows.
func TestAWidgetWithoutChatSaysNothing(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	channel := w.widget(t, fields{"config": fields{"mode": "voice"}})
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	mine := []string{"X-SDK-Token", begun.Token, "Origin", shop}
	says := map[string]fields{"/api/v1/chat/agent": {"projectId": mainAlias, "message": "Hi"},
		"/api/v1/chat/send":   {"sessionId": begun.SessionID, "message": "Hi"},
		"/api/v1/chat/stream": {"projectId": mainAlias, "messages": []fields{{"role": "user", "content": "Hi"}}}}
	for path, body := range says {
		refused := w.b.do(t, "POST", path, body, mine...)
		refused.refused(t, 403, fault.Forbidden)
		require.Contains(t, refused.Text, "chatEnabled", path)
	}
	s, _ := chatOn(t, w.b, begun.Token, "")
	s.says(t, fields{"type": "message", "id": "m-1", "text": "Hi"})
	require.Equal(t, []string{"error", "m-1", "FORBIDDEN"}, s.next(t).what())
	var transcript struct{ Messages []map[string]any }
	w.b.do(t, "GET", "/api/v1/sessions/"+begun.SessionID+"/transcripts", nil, mine...).must(t, 200).into(t, &transcript)
	require.Empty(t, transcript.Messages)

	w.ask(t, "PATCH", sdkChannelsPath+"/"+channel["id"].(string), fields{"config": fields{"mode": "voice", "chatEnabled": true}}).must(t, 200)
	for path, body := range says {
		w.b.do(t, "POST", path, body, mine...).must(t, 200)
	}
	s.says(t, fields{"type": "message", "id": "m-2", "text": "Hi"})
	require.Equal(t, "m-2", framesOf("ack", s.until(t, "ack"))[0].ID,
		"what a channel offers counts when something is said, and not when the socket was opened")
}

func TestAWidgetIsForItsPages(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	w.widget(t, nil)
	begun := w.init(t, nil, "X-Public-Key", w.key, "Origin", shop)
	for _, origin := range []string{"null", "https://a.shop.example", "https://shop.example:8443", "http://shop.example",
		"https://shop.example.evil.example"} {
		w.b.do(t, "GET", sdkConfig, nil, "X-API-Key", w.key, "Origin", origin).refused(t, 403, fault.Forbidden)
		w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias}, "X-Public-Key", w.key, "Origin", origin).refused(t, 403, fault.Forbidden)
		refused := w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi"}, "X-SDK-Token", begun.Token,
			"Origin", origin)
		refused.refused(t, 403, fault.Forbidden)
		require.Empty(t, refused.Header.Get("Access-Control-Allow-Origin"))
	}
	// The token is for the page that it was given to, and a page has an Origin.
	w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi"}, "X-SDK-Token", begun.Token, "Origin",
		"http://localhost:3000").refused(t, 403, fault.Forbidden)
	w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi"}, "X-SDK-Token", begun.Token).refused(t, 403,
		fault.Forbidden)
	w.b.do(t, "GET", sdkConfig, nil, "X-API-Key", w.key).refused(t, 403, fault.Forbidden)
	w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias}, "X-Public-Key", w.key).refused(t, 403, fault.Forbidden)

	for origin, allowed := range map[string]string{shop: shop, "https://evil.example": ""} {
		preflight := w.b.do(t, http.MethodOptions, sdkInit, nil, "Origin", origin, "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "content-type,x-public-key")
		require.Equal(t, allowed, preflight.Header.Get("Access-Control-Allow-Origin"), origin)
	}

	// Apps have no Origin, and talk by a channel of theirs.
	app := w.widget(t, fields{"channelType": "mobile_ios", "name": "App"})
	ofApp := w.init(t, nil, "X-Public-Key", w.key)
	w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi"}, "X-SDK-Token", ofApp.Token).must(t, 200)
	w.b.do(t, "GET", sdkConfig, nil, "X-API-Key", w.key).must(t, 200)

	// What is wrong with a key or a token is not said.
	secret := w.talkWorld.tenant.key(t, mainScope)
	for _, headers := range [][]string{{}, {"X-Public-Key", secret}, {"X-Public-Key", "pk_none"}, {"X-SDK-Token", begun.Token},
		{"X-SDK-Token", "x"}, {"auth", w.auth}} {
		w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias}, append(headers, "Origin", shop)...).refused(t, 401, fault.Unauthorized)
	}
	w.b.do(t, "POST", sdkInit, fields{"projectId": otherApp}, "X-Public-Key", w.key, "Origin", shop).refused(t, 404, fault.NotFound)
	w.b.do(t, "POST", sdkInit, fields{}, "X-Public-Key", w.key, "Origin", shop).refused(t, 400, fault.Validation, "projectId")

	// A token to share begins sessions of its channel, in place of the key.
	var shared struct {
		Success                     bool
		Token, ExpiresAt, EmbedCode string
	}
	w.ask(t, "POST", sdkChannelsPath+"/"+app["id"].(string)+"/token", nil).must(t, 200).into(t, &shared)
	require.Regexp(t, isoForm, shared.ExpiresAt)
	require.Contains(t, shared.EmbedCode, shared.Token)
	_, loads, _ := strings.Cut(shared.EmbedCode, `src="`)
	loads, _, _ = strings.Cut(loads, `"`)
	script := w.b.do(t, "GET", strings.TrimPrefix(loads, w.b.URL()), nil).must(t, 200)
	require.Equal(t, "text/javascript; charset=utf-8", script.Header.Get("Content-Type"))
	require.NotRegexp(t, `innerHTML|insertAdjacentHTML|outerHTML|document\.write|eval\(`, script.Text)
	require.NotEmpty(t, w.init(t, nil, "X-SDK-Token", shared.Token).SessionID)
	require.NotEmpty(t, w.init(t, nil, "X-Public-Key", shared.Token).SessionID, "also where the key would stand")
	w.b.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainAlias, "message": "Hi"}, "X-SDK-Token", shared.Token).refused(t, 401,
		fault.Unauthorized)
	w.ask(t, "DELETE", sdkChannelsPath+"/"+app["id"].(string), nil).must(t, 204)
	w.b.do(t, "POST", sdkInit, fields{"projectId": mainAlias}, "X-SDK-Token", shared.Token).refused(t, 401, fault.Unauthorized)
}
