package node_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
)

const connectionsPath = "/api/projects/" + mainAlias + "/channel-connections"

// external is the id of an app in a workspace that no other test connects.
func external() string { return "A1:T" + strings.ReplaceAll(uuid.NewString(), "-", "") }

func connection(external string, more ...fields) fields {
	body := fields{"channelType": "slack", "externalIdentifier": external,
		"credentials": fields{"signingSecret": "hush-signing", "botToken": "hush-token"}}
	for _, m := range more {
		body = body.and(m)
	}
	return body
}

// connect answers the members of a connection that was made.
func (w talkWorld) connect(t *testing.T, body fields, headers ...string) map[string]any {
	t.Helper()
	return w.ask(t, "POST", connectionsPath, body, headers...).must(t, 201).connection(t)
}

func (a *answer) connection(t *testing.T) map[string]any {
	t.Helper()
	var out struct {
		Success    bool
		Connection map[string]any
	}
	a.into(t, &out)
	require.True(t, out.Success)
	return out.Connection
}

func TestAChannelIsConnected(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	app := external()
	made := w.connect(t, connection(app), "Idempotency-Key", "once")
	require.ElementsMatch(t, []string{"id", "projectId", "channelType", "externalIdentifier", "name", "agentName", "deploymentId",
		"environment", "isActive", "credentialNames", "webhookUrl", "createdAt", "updatedAt"}, keysOf(made))
	require.Regexp(t, "^cn-"+uuidForm+"$", made["id"])
	require.Regexp(t, isoForm, made["createdAt"])
	require.Equal(t, []any{mainApp, "slack", app, app, nil, nil, nil, true, []any{"botToken", "signingSecret"}, made["createdAt"]},
		[]any{made["projectId"], made["channelType"], made["externalIdentifier"], made["name"], made["agentName"], made["deploymentId"],
			made["environment"], made["isActive"], made["credentialNames"], made["updatedAt"]})
	require.Regexp(t, `^https?://[^/]+/api/v1/channels/slack/webhook/`+app+`$`, made["webhookUrl"])
	again := w.ask(t, "POST", connectionsPath, connection(app), "Idempotency-Key", "once").must(t, 201)
	require.Equal(t, made, again.connection(t), "the same request again")
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	w.ask(t, "POST", connectionsPath, connection(app, fields{"name": "x"}), "Idempotency-Key", "once").refused(t, 409, fault.Conflict)

	d := w.deploy(t, "staging")
	bound := w.connect(t, fields{"channelType": "sms", "externalIdentifier": "1 555 " + digits(), "name": " Texts ", "isActive": false,
		"agentName": "closer", "deploymentId": d["id"], "environment": "staging",
		"credentials": fields{"accountSid": "AC1", "authToken": "hush-token"}})
	require.Equal(t, []any{"twilio_sms", "Texts", "closer", d["id"], "staging", false}, []any{bound["channelType"], bound["name"],
		bound["agentName"], bound["deploymentId"], bound["environment"], bound["isActive"]})
	require.Regexp(t, `^\+1555[0-9]{7}$`, bound["externalIdentifier"])
	path := "shop-" + uuid.NewString()
	called := w.connect(t, fields{"channelType": "genesys", "externalIdentifier": path, "credentials": fields{"token": "hush-token"}})
	require.True(t, strings.HasSuffix(called["webhookUrl"].(string), "/api/v1/channels/genesys/webhook/"+path), called["webhookUrl"])

	var page struct {
		Success     bool
		Connections []map[string]any
		Pagination  map[string]int
	}
	list := func(query string) (ids []any) {
		page.Connections = nil
		w.ask(t, "GET", connectionsPath+query, nil).must(t, 200).into(t, &page)
		for _, c := range page.Connections {
			ids = append(ids, c["id"])
		}
		return ids
	}
	require.Equal(t, []any{called["id"], bound["id"], made["id"]}, list(""))
	require.Equal(t, made, page.Connections[2])
	require.Equal(t, map[string]int{"total": 3, "limit": 50, "offset": 0}, page.Pagination)
	require.Equal(t, []any{bound["id"]}, list("?limit=1&offset=1"))
	require.Equal(t, []any{bound["id"]}, list("?channelType=sms"))
	require.Equal(t, []any{bound["id"]}, list("?isActive=false"))
	require.Equal(t, []any{called["id"], made["id"]}, list("?isActive=true"))

	log, tables := everyRecord(t, w.cluster.brokers), wholeDatabase(t, w.cluster.database)
	for _, secret := range []string{"hush-signing", "hush-token"} { // whole: what is sealed is letters too, and may spell a short word
		require.NotContains(t, log, secret)
		require.NotContains(t, tables, secret)
	}
	require.NotContains(t, w.ask(t, "GET", connectionsPath, nil).Text, "sealed:")
	require.NotEmpty(t, w.events(t, w.b, "category", "connections").Events)
	var figures struct {
		Data struct{ Buckets []map[string]any }
	}
	until(t, "the figures", func() bool {
		w.ask(t, "GET", "/api/projects/"+mainApp+"/analytics/metrics?category=channel&groupBy=event_type,channel&metrics=count", nil).
			must(t, 200).into(t, &figures)
		return slices.ContainsFunc(figures.Data.Buckets, func(b map[string]any) bool {
			return maps.Equal(b, map[string]any{"event_type": "connection_created", "channel": "slack", "count": 1.})
		})
	})
}

// digits are seven that no other test has.
func digits() string {
	n := uuid.New()
	out := make([]byte, 7)
	for i := range out {
		out[i] = '0' + n[i]%10
	}
	return string(out)
}

func TestAConnectionIsChangedAndDeleted(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	app := external()
	made := w.connect(t, connection(app))
	path := connectionsPath + "/" + made["id"].(string)
	change := func(body fields) map[string]any { return w.ask(t, "PATCH", path, body).must(t, 200).connection(t) }
	require.Equal(t, made, change(fields{"channelType": "slack", "externalIdentifier": app}), "nothing changes")
	d := w.deploy(t, "production")
	got := change(fields{"name": "Shop", "agentName": "closer", "deploymentId": d["id"], "environment": "production", "isActive": false,
		"credentials": fields{"botToken": "hush-other", "botUserId": "U1"}})
	require.Equal(t, []any{"Shop", "closer", d["id"], "production", false, []any{"botToken", "botUserId", "signingSecret"},
		made["createdAt"]}, []any{got["name"], got["agentName"], got["deploymentId"], got["environment"], got["isActive"],
		got["credentialNames"], got["createdAt"]})
	got = change(fields{"agentName": nil, "deploymentId": nil, "environment": nil, "credentials": fields{"botUserId": nil}})
	require.Equal(t, []any{"Shop", nil, nil, nil, false, []any{"botToken", "signingSecret"}}, []any{got["name"], got["agentName"],
		got["deploymentId"], got["environment"], got["isActive"], got["credentialNames"]})
	require.Equal(t, got, w.b.do(t, "GET", path, nil, "X-API-Key", w.key(t, mainScope)).must(t, 200).connection(t))
	require.Equal(t, got, change(fields{"channelType": nil, "externalIdentifier": nil, "isActive": nil, "credentials": nil}),
		"null is no value")
	for _, none := range []any{nil, " "} {
		change(fields{"name": "Shop"})
		require.Equal(t, app, change(fields{"name": none})["name"], "as one that was made without a name")
	}

	for field, body := range map[string]fields{"channelType": {"channelType": "line"}, "externalIdentifier": {"externalIdentifier": "A2:T2"},
		"credentials.botToken":      {"credentials": fields{"botToken": nil}},
		"credentials.signingSecret": {"credentials": fields{"signingSecret": ""}},
		"credentials.accessToken":   {"credentials": fields{"accessToken": "x"}}, "name": {"name": strings.Repeat("n", 301)},
		"agentName": {"agentName": "nobody"}, "deploymentId": {"deploymentId": "d-none"}, "environment": {"environment": "moon"},
	} {
		w.ask(t, "PATCH", path, body).refused(t, 400, fault.Validation, field)
	}
	w.ask(t, "PATCH", path, fields{"deploymentId": d["id"], "environment": "dev"}).refused(t, 400, fault.Validation, "environment")
	w.ask(t, "POST", agentDeployments+"/"+d["id"].(string)+"/retire", nil).must(t, 200)
	w.ask(t, "PATCH", path, fields{"deploymentId": d["id"]}).refused(t, 400, fault.Validation, "deploymentId")

	stranger := w.cluster.tenant(t, "")
	for method, body := range map[string]any{"GET": nil, "PATCH": fields{"name": "x"}, "DELETE": nil} {
		w.b.do(t, method, path, body, "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
		w.b.do(t, method, path, body, "X-API-Key", w.key(t, otherScope)).refused(t, 404, fault.NotFound)
		w.ask(t, method, "/api/projects/"+otherApp+"/channel-connections/"+made["id"].(string), body).refused(t, 404, fault.NotFound)
		w.ask(t, method, connectionsPath+"/cn-none", body).refused(t, 404, fault.NotFound)
		w.ask(t, method, connectionsPath+"/a%20b", body).refused(t, 404, fault.NotFound)
	}
	w.b.do(t, "DELETE", path, nil, "auth", stranger.token(t), "Idempotency-Key", "bye").refused(t, 404, fault.NotFound)
	w.b.do(t, "DELETE", path, nil, "X-API-Key", w.key(t, mainScope), "Idempotency-Key", "bye").must(t, 204)
	require.Equal(t, "true", w.ask(t, "DELETE", path, nil, "Idempotency-Key", "bye").must(t, 204).Header.Get("Idempotency-Replayed"))
	w.ask(t, "DELETE", path, nil, "Idempotency-Key", "other").refused(t, 404, fault.NotFound)
	w.ask(t, "DELETE", path, nil).refused(t, 404, fault.NotFound)
	w.ask(t, "PATCH", path, fields{"name": "x"}).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", path, nil).refused(t, 404, fault.NotFound)
}

// What a provider calls an account is of one connection on the whole server, and of whom is
// nobody's business; when it is deleted it may be anybody's.
func TestAnIdentifierIsOfOneConnection(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	app := external()
	made := w.connect(t, connection(app))
	stranger := w.cluster.tenant(t, "")
	theirs := []string{"auth", stranger.token(t)}
	for _, refused := range []*answer{w.ask(t, "POST", connectionsPath, connection(app)),
		w.b.do(t, "POST", connectionsPath, connection(app), theirs...)} {
		refused.refused(t, 409, fault.Conflict)
		for _, name := range []string{w.id, mainApp, made["id"].(string)} {
			require.NotContains(t, refused.Text, name)
		}
	}
	w.ask(t, "DELETE", connectionsPath+"/"+made["id"].(string), nil).must(t, 204)
	w.b.do(t, "POST", connectionsPath, connection(app), theirs...).must(t, 201)
	w.ask(t, "POST", connectionsPath, connection(app)).refused(t, 409, fault.Conflict)
	for _, e := range w.allEvents(t, w.b, "category", "connections") {
		require.NotContains(t, string(e.Data), stranger.id)
	}

	// Doors of the account's own are called so by each account.
	own := fields{"channelType": "api", "externalIdentifier": mainApp}
	w.ask(t, "POST", connectionsPath, own).must(t, 201)
	w.ask(t, "POST", connectionsPath, own).refused(t, 409, fault.Conflict)
	w.b.do(t, "POST", connectionsPath, own, theirs...).must(t, 201)

	// Of many who want the same at once one gets it.
	app = external()
	var wanted sync.WaitGroup
	got := make([]int, 8)
	for i := range got {
		on := []*server{w.a, w.b}[i%2]
		wanted.Go(func() { got[i] = on.do(t, "POST", connectionsPath, connection(app), theirs...).Status })
	}
	wanted.Wait()
	n := map[int]int{}
	for _, status := range got {
		n[status]++
	}
	require.Equal(t, map[int]int{201: 1, 409: 7}, n)
}

func TestConnectionsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	for field, more := range map[string]fields{
		"channelType": {"channelType": "fax"}, "externalIdentifier": {"externalIdentifier": "A1"}, "name": {"name": "a\u0007"},
		"agentName": {"agentName": "nobody"}, "deploymentId": {"deploymentId": "d-none"}, "environment": {"environment": "moon"},
		"isActive": {"isActive": "yes"}, "credentials": {"credentials": "x"},
		"credentials.botToken":    {"credentials": fields{"signingSecret": "s"}},
		"credentials.accessToken": {"credentials": fields{"signingSecret": "s", "botToken": "t", "accessToken": "u"}},
	} {
		w.ask(t, "POST", connectionsPath, connection(external(), more)).refused(t, 400, fault.Validation, field)
	}
	for _, missing := range []string{"channelType", "externalIdentifier"} {
		w.ask(t, "POST", connectionsPath, connection(external(), fields{missing: nil})).refused(t, 400, fault.Validation, missing)
	}
	w.ask(t, "POST", connectionsPath, connection(strings.Repeat("x", 321))).refused(t, 400, fault.Validation, "externalIdentifier")
	w.ask(t, "POST", "/api/projects/nowhere/channel-connections", connection(external())).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", "/api/projects/nowhere/channel-connections", nil).refused(t, 404, fault.NotFound)
	for field, query := range map[string]string{"channelType": "?channelType=fax", "isActive": "?isActive=1", "limit": "?limit=201",
		"offset": "?offset=-1"} {
		w.ask(t, "GET", connectionsPath+query, nil).refused(t, 400, fault.Validation, field)
	}
	w.scope(t, "as-viewer", "viewer", mainApp, access.AppView, access.RunAPI)
	viewer := w.key(t, "as-viewer")
	for _, path := range []string{connectionsPath, connectionsPath + "/" + w.connect(t, connection(external()))["id"].(string)} {
		w.b.do(t, "GET", path, nil, "X-API-Key", viewer).refused(t, 403, fault.Forbidden)
	}
	w.b.do(t, "POST", connectionsPath, connection(external()), "X-API-Key", viewer).refused(t, 403, fault.Forbidden)
	w.scope(t, "as-editor", "editor", mainApp, access.AppEdit)
	w.b.do(t, "POST", connectionsPath, connection(external()), "X-API-Key", w.key(t, "as-editor")).must(t, 201)
	w.b.do(t, "POST", connectionsPath, connection(external()), "auth", w.grant(t, testClient)).must(t, 201)
}

// Every kind is connected with what it needs, and shows the names of that.
func TestEveryKindIsConnected(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	given := map[string]string{"slack": external(), "telegram": digits(), "twilio_sms": "+1555" + digits(), "twilio_voice": "+1555" + digits(),
		"email": "shop-" + digits() + "@example.com", "whatsapp": digits(), "messenger": digits(), "instagram": digits()}
	calledAt := map[string]string{"twilio_voice": "/api/v1/voice/connect", "livekit": "/api/v1/channels/livekit/webhook",
		"a2a": "/api/v1/a2a/", "web_chat": "/api/v1/channels/web_chat/ws", "ag_ui": "/api/v1/channels/ag_ui/runs",
		"http_async": "/api/v1/channels/http_async/messages", "http": "/api/v1/channels/http/messages", "api": "/api/v1/channels/api/messages",
		"email": "mailto:" + given["email"]}
	for _, slug := range connections.Slugs() {
		kind, _ := connections.KindOf(slug)
		_, required := kind.CredentialNames()
		credentials, names := fields{}, []any{}
		for _, name := range required {
			credentials[name] = "hush"
		}
		external := given[slug]
		switch {
		case slug == "telegram":
			credentials["botToken"] = external + ":hush"
		case slug == "zendesk":
			credentials["webhookSecret"] = "hush"
		}
		if external == "" {
			external = "x" + digits()
		}
		for name := range credentials {
			names = append(names, name)
		}
		made := w.connect(t, fields{"channelType": slug, "externalIdentifier": external, "credentials": credentials})
		require.Equal(t, []any{slug, external}, []any{made["channelType"], made["externalIdentifier"]})
		require.ElementsMatch(t, names, made["credentialNames"], slug)
		require.Contains(t, made["webhookUrl"], cmp.Or(calledAt[slug], "/api/v1/channels/"+slug+"/webhook/"))
	}
}

// What leads to a deployment is counted: who names it, and who follows where it serves.
func TestADeploymentCountsItsChannels(t *testing.T) {
	t.Parallel()
	w := newSDKWorld(t)
	d := w.deploy(t, "dev")
	count := func() any {
		return w.ask(t, "GET", path(d), nil).must(t, 200).deployment(t)["channelCount"]
	}
	require.Equal(t, 0., count())
	w.connect(t, connection(external())) // follows production
	w.connect(t, connection(external(), fields{"environment": "dev"}))
	w.widget(t, fields{"environment": "dev"})
	named := w.connect(t, connection(external(), fields{"deploymentId": d["id"]}))
	require.Equal(t, 3., count())
	w.ask(t, "PATCH", connectionsPath+"/"+named["id"].(string), fields{"isActive": false}).must(t, 200)
	require.Equal(t, 2., count())
	w.deploy(t, "dev")
	require.Equal(t, 0., count(), "what follows goes to the newest one")
	w.connect(t, connection(external(), fields{"deploymentId": d["id"]}))
	require.Equal(t, 1., count())
	w.ask(t, "POST", path(d)+"/retire", nil).must(t, 200)
	require.Equal(t, 0., count(), "nobody answers there any more, whoever names it")
}
