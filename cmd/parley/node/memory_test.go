//go:build !apache

package node_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const memoryPath = "/api/v1/memory"

// memoryWorld is a tenant with a session in which code of an agent runs, asked at the node that
// it was not made on.
type memoryWorld struct {
	talkWorld
	session string
}

func newMemoryWorld(t *testing.T) *memoryWorld {
	w := &memoryWorld{talkWorld: newTalkWorld(t)}
	w.session = w.begin(t, "meter")
	return w
}

// code is a token as the runtime gives it to code, unless changed.
func (w *memoryWorld) code(t *testing.T, change ...func(*tokens.SandboxGrant)) string {
	t.Helper()
	both := func(scope memories.Scope) access.Store {
		return access.Store{Scope: string(scope), Read: true, Write: true}
	}
	g := tokens.SandboxGrant{TenantID: w.id, ProjectID: mainApp, SessionID: w.session, ToolCallID: "tc-1", Trial: true, Issued: time.Now(),
		Expires: time.Now().Add(time.Minute), Stores: map[string]access.Store{"notes": both(memories.OfSession),
			"profile": both(memories.OfContact), "rates": both(memories.OfProject),
			"readable": {Scope: "session", Read: true}, "writable": {Scope: "session", Write: true}}}
	for _, ch := range change {
		ch(&g)
	}
	token, err := tokens.Sandbox{Secret: w.on.Vault().SandboxSecret()}.Issue(g)
	require.NoError(t, err)
	return token
}

// use asks with a token of code.
func (w *memoryWorld) use(t *testing.T, token, action, store string, payload any, headers ...string) *answer {
	t.Helper()
	body := fields{"action": action, "memoryStoreName": store}
	if payload != nil {
		body["payload"] = payload
	}
	return w.b.do(t, "POST", memoryPath, body, append([]string{"Authorization", "Bearer " + token}, headers...)...)
}

func holding(content any) fields { return fields{"content": content} }

// is compares the whole of an answer.
func (a *answer) is(t *testing.T, want string) {
	t.Helper()
	require.JSONEq(t, want, a.must(t, http.StatusOK).Text)
}

func of(session string) func(*tokens.SandboxGrant) {
	return func(g *tokens.SandboxGrant) { g.SessionID = session }
}

func TestCodeReadsWritesAndDeletesItsMemory(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	code := w.code(t)
	w.use(t, code, "get", "notes", nil).is(t, `{"success":true,"data":{},"version":0}`)
	w.use(t, code, "delete", "notes", nil).is(t, `{"success":true,"data":{"deleted":true}}`)
	w.use(t, code, "set", "notes", holding(fields{"seat": "an aisle at 51"})).is(t, `{"success":true,"data":{"version":1}}`)
	w.use(t, code, "get", "notes", fields{}).is(t, `{"success":true,"data":{"seat":"an aisle at 51"},"version":1}`)
	w.use(t, code, "set", "notes", holding(fields{})).is(t, `{"success":true,"data":{"version":2}}`)
	w.use(t, code, "get", "notes", nil).is(t, `{"success":true,"data":{},"version":2}`)
	w.use(t, code, "delete", "notes", nil).is(t, `{"success":true,"data":{"deleted":true}}`)
	w.use(t, code, "delete", "notes", nil).is(t, `{"success":true,"data":{"deleted":true}}`)
	w.use(t, code, "get", "notes", nil).is(t, `{"success":true,"data":{},"version":3}`)
	w.use(t, code, "set", "notes", holding(fields{"n": 1e300})).is(t, `{"success":true,"data":{"version":4}}`)

	require.NotContains(t, everyRecord(t, w.cluster.brokers), "an aisle at 51", "what is personal is sealed on the log")
	for _, e := range w.events(t, w.b, "category", "memories").Events {
		require.NotContains(t, string(e.Data), w.session+"@", "the actor is not in the data")
		require.Equal(t, "tool:tc-1@"+w.session, e.Actor)
	}
}

// Given a session and another of the same contact, a third of nobody and one of another project,
// when code writes to stores of each scope, then each is seen where its scope says.
func TestStoresAreOfASessionAContactOrAProject(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	second, strange := w.begin(t, "meter"), w.begin(t, "meter")
	code, again, other := w.code(t), w.code(t, of(second)), w.code(t, of(strange))
	w.use(t, code, "set", "profile", holding(fields{"a": 1})).refused(t, 409, fault.Conflict)
	ann := w.contact(t)
	for _, s := range []string{w.session, second} {
		w.ask(t, "POST", contactsPath+"/"+ann+"/link-session", fields{"sessionId": s}).must(t, 200)
	}
	for _, store := range []string{"notes", "profile", "rates"} {
		w.use(t, code, "set", store, holding(fields{"in": store})).is(t, `{"success":true,"data":{"version":1}}`)
	}
	for token, want := range map[string][]string{again: {"{}", `{"in":"profile"}`, `{"in":"rates"}`}, code: {`{"in":"notes"}`,
		`{"in":"profile"}`, `{"in":"rates"}`}} {
		for n, store := range []string{"notes", "profile", "rates"} {
			require.Contains(t, w.use(t, token, "get", store, nil).must(t, 200).Text, `"data":`+want[n])
		}
	}
	require.Contains(t, w.use(t, other, "get", "rates", nil).must(t, 200).Text, `"data":{"in":"rates"}`)
	w.use(t, other, "get", "profile", nil).refused(t, 409, fault.Conflict)
}

// contact makes one, and gives its id.
func (w *memoryWorld) contact(t *testing.T) string {
	t.Helper()
	made := w.ask(t, "POST", contactsPath, byMail("ann."+uuid.NewString()[:8]+"@example.com")).must(t, 201).contact(t)
	return made["id"].(string)
}

func TestUsesOfMemoryThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	code, good := w.code(t), holding(fields{"a": 1})
	for field, body := range map[string]fields{
		"action":          {"memoryStoreName": "notes"},
		"memoryStoreName": {"action": "get"},
		"payload.content": {"action": "set", "memoryStoreName": "notes"},
		"payload.version": {"action": "set", "memoryStoreName": "notes", "payload": fields{"content": fields{}, "version": -1}},
		"payload":         {"action": "get", "memoryStoreName": "notes", "payload": "text"},
	} {
		w.b.do(t, "POST", memoryPath, body, "Authorization", "Bearer "+code).refused(t, 400, fault.Validation, field)
	}
	w.use(t, code, "clear", "notes", good).refused(t, 400, fault.Validation, "action")
	w.use(t, code, "get", "", nil).refused(t, 400, fault.Validation, "memoryStoreName")
	w.use(t, code, "get", strings.Repeat("n", 65), nil).refused(t, 400, fault.Validation, "memoryStoreName")
	w.use(t, code, "set", "notes", fields{"content": nil}).refused(t, 400, fault.Validation, "payload.content")
	w.use(t, code, "set", "notes", holding([]int{1})).refused(t, 400, fault.Validation, "payload.content")
	deep := strings.Repeat(`{"a":`, memories.MaxDepth+1) + "1" + strings.Repeat("}", memories.MaxDepth+1)
	w.use(t, code, "set", "notes", holding(toRaw(deep))).refused(t, 400, fault.Validation, "payload.content")
	text := strings.Repeat("x", memories.MaxContent-len(`{"a":""}`))
	w.use(t, code, "set", "notes", holding(fields{"a": text + "x"})).refused(t, 413, fault.TooLarge)
	w.use(t, code, "set", "notes", holding(fields{"a": text})).is(t, `{"success":true,"data":{"version":1}}`)

	for store, action := range map[string]string{"unknown": "get", "writable": "get", "readable": "set"} {
		w.use(t, code, action, store, good).refused(t, 403, fault.Forbidden)
	}
	w.use(t, code, "delete", "readable", nil).refused(t, 403, fault.Forbidden)
	w.use(t, code, "set", "writable", good).must(t, 200)
	w.use(t, code, "get", "readable", nil).must(t, 200)
	w.use(t, w.code(t, of("")), "get", "notes", nil).refused(t, 400, fault.BadRequest)
}

type toRaw string

func (r toRaw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// Given tokens that are of nobody, of others, or too old, then none opens a store.
func TestOnlyATokenOfTheRuntimeOpensMemory(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	stranger := w.cluster.tenant(t, "")
	claims := func(change func(jwt.MapClaims)) jwt.MapClaims {
		c := jwt.MapClaims{"iss": "parley-sandbox", "aud": "memory", "sub": "tc-1", "trial": true, "accountId": w.id, "projectId": mainApp,
			"sessionId": w.session, "stores": fields{"notes": fields{"scope": "session", "read": true}}, "iat": time.Now().Unix(),
			"exp": time.Now().Add(time.Minute).Unix()}
		change(c)
		return c
	}
	signed := func(secret []byte, change func(jwt.MapClaims)) string {
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims(change)).SignedString(secret)
		require.NoError(t, err)
		return token
	}
	secret, nothing := w.on.Vault().SandboxSecret(), func(jwt.MapClaims) {}
	set := func(claim string, value any) string {
		return signed(secret, func(c jwt.MapClaims) { c[claim] = value })
	}
	without := func(claim string) string { return signed(secret, func(c jwt.MapClaims) { delete(c, claim) }) }
	w.use(t, signed(secret, nothing), "get", "notes", nil).must(t, 200)
	w.use(t, without("trial"), "get", "notes", nil).refused(t, 404, fault.NotFound)
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims(nothing)).SignedString(jwt.UnsafeAllowNoneSignatureType)
	require.NoError(t, err)
	for what, token := range map[string]string{
		"nothing": "x", "another key": signed([]byte("another key, that is long enough too"), nothing), "no signature": none,
		"expired": signed(secret, func(c jwt.MapClaims) {
			c["iat"], c["exp"] = time.Now().Add(-time.Minute).Unix(), time.Now().Add(-10*time.Second).Unix()
		}),
		"good for too long": set("exp", time.Now().Add(2*time.Minute).Unix()), "no end": without("exp"), "no beginning": without("iat"),
		"not yet": set("iat", time.Now().Add(time.Minute).Unix()), "another audience": set("aud", "dial-out"), "no audience": without("aud"),
		"another issuer": set("iss", testClient), "no call": without("sub"), "no account": without("accountId"),
		"no project": without("projectId"), "a scope that is none": set("stores", fields{"notes": fields{"scope": "moon", "read": true}}),
		"a client's": w.auth, "the operator's": signed(w.on.Vault().OperatorSecret("parley-operator"), nothing),
	} {
		t.Run(what, func(t *testing.T) { w.use(t, token, "get", "notes", nil).refused(t, 401, fault.Unauthorized) })
	}
	for what, token := range map[string]string{"another account": set("accountId", stranger.id), "an account that is none": set("accountId",
		"nowhere"), "another project": set("projectId", otherApp), "a project that is none": set("projectId", "nowhere"),
		"a session that is none": set("sessionId", uuid.NewString())} {
		t.Run(what, func(t *testing.T) { w.use(t, token, "get", "notes", nil).refused(t, 404, fault.NotFound) })
	}
	body, code := fields{"action": "get", "memoryStoreName": "notes"}, w.code(t)
	w.b.do(t, "POST", memoryPath, body).refused(t, 401, fault.Unauthorized)
	w.b.do(t, "POST", memoryPath, body, "auth", code).refused(t, 401, fault.Unauthorized)
	w.b.do(t, "POST", memoryPath, body, "X-API-Key", w.key(t, mainScope)).refused(t, 401, fault.Unauthorized)
	w.b.do(t, "GET", sessionsPath, nil, "Authorization", "Bearer "+code).refused(t, 401, fault.Unauthorized)
	w.b.do(t, "GET", eventsPath(), nil, "auth", code).refused(t, 401, fault.Unauthorized)

	w.ask(t, "DELETE", sessionsPath+"/"+w.session, nil)
	w.use(t, code, "get", "notes", nil).refused(t, 404, fault.NotFound)
	w.use(t, code, "set", "notes", holding(fields{})).refused(t, 404, fault.NotFound)
	w.use(t, code, "set", "notes", nil).refused(t, 404, fault.NotFound) // whatever else is wrong
	w.use(t, code, "delete", "notes", nil).refused(t, 404, fault.NotFound)
}

// Given a write that was answered, when it comes again, also after the session has ended, then
// it has the first answer; another write with its key is refused.
func TestAWriteToMemoryMayBeRepeated(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	code, payload := w.code(t), fields{"content": fields{"n": 1}, "version": 0}
	first := w.use(t, code, "set", "notes", payload, "Idempotency-Key", "k")
	first.is(t, `{"success":true,"data":{"version":1}}`)
	w.use(t, code, "set", "notes", holding(fields{"n": 2})).is(t, `{"success":true,"data":{"version":2}}`)
	again := w.use(t, w.code(t), "set", "notes", payload, "Idempotency-Key", "k")
	again.is(t, first.Text)
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	w.use(t, code, "set", "notes", holding(fields{"n": 3}), "Idempotency-Key", "k").refused(t, 409, fault.Conflict)
	w.use(t, code, "get", "notes", nil).is(t, `{"success":true,"data":{"n":2},"version":2}`)

	w.use(t, code, "delete", "notes", fields{"version": 2}, "Idempotency-Key", "d").must(t, 200)
	w.use(t, code, "set", "notes", holding(fields{"n": 4})).is(t, `{"success":true,"data":{"version":4}}`)
	w.use(t, code, "delete", "notes", fields{"version": 2}, "Idempotency-Key", "d").is(t, `{"success":true,"data":{"deleted":true}}`)
	w.use(t, code, "get", "notes", nil).is(t, `{"success":true,"data":{"n":4},"version":4}`)
	w.use(t, code, "delete", "notes", nil, "Idempotency-Key", "d").refused(t, 409, fault.Conflict)

	w.ask(t, "DELETE", sessionsPath+"/"+w.session, nil)
	w.use(t, code, "set", "notes", payload, "Idempotency-Key", "k").is(t, first.Text)
}

// Given many at both nodes that have read the same version, when all of them write at once, then
// one does, and the others are told.
func TestOfWritersAtOnceOneWins(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	code := w.code(t)
	w.use(t, code, "set", "notes", holding(fields{})).must(t, 200)
	const writers = 12
	answers := make([]*answer, writers)
	var done sync.WaitGroup
	for n := range writers {
		done.Go(func() {
			on := []*server{w.a, w.b}[n%2]
			answers[n] = on.do(t, "POST", memoryPath, fields{"action": "set", "memoryStoreName": "notes",
				"payload": fields{"content": fields{"writer": n}, "version": 1}}, "Authorization", "Bearer "+code)
		})
	}
	done.Wait()
	winner := -1
	for n, a := range answers {
		if a.Status == http.StatusOK {
			require.Equal(t, -1, winner, "two have won")
			winner = n
			continue
		}
		a.refused(t, 409, fault.Conflict)
	}
	w.use(t, code, "get", "notes", nil).is(t, fmt.Sprintf(`{"success":true,"data":{"writer":%d},"version":2}`, winner))
	w.use(t, code, "delete", "notes", fields{"version": 1}).refused(t, 409, fault.Conflict)
}

func TestAnOwnerHasSoManyStores(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	many := func(from, to int) string {
		return w.code(t, func(g *tokens.SandboxGrant) { // good for a minute, which so many writes may take
			g.Stores = map[string]access.Store{}
			for n := from; n < to; n++ {
				g.Stores[fmt.Sprintf("s%d", n)] = access.Store{Scope: "session", Read: true, Write: true}
			}
		})
	}
	for n := range memories.MaxStores {
		w.use(t, many(n, n+1), "set", fmt.Sprintf("s%d", n), holding(fields{"n": n})).must(t, 200)
	}
	code, more := many(0, memories.MaxStores), many(memories.MaxStores, memories.MaxStores+1)
	last := fmt.Sprintf("s%d", memories.MaxStores)
	w.use(t, more, "set", last, holding(fields{})).refused(t, 429, fault.LimitReached)
	w.use(t, code, "set", "s0", holding(fields{"again": true})).must(t, 200)
	w.use(t, code, "delete", "s0", nil).must(t, 200)
	w.use(t, more, "set", last, holding(fields{})).must(t, 200)
}

func TestWithoutASandboxThereIsNoMemory(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t)
	off := w.cluster.start(t, func(c *node.Config) { c.SandboxOff = true })
	off.do(t, "POST", memoryPath, fields{"action": "get", "memoryStoreName": "notes"}, "Authorization", "Bearer "+w.code(t)).refused(t, 503,
		fault.Unavailable)
	off.do(t, "POST", memoryPath, fields{"action": "get", "memoryStoreName": "notes"}).refused(t, 401, fault.Unauthorized)

	w.apply(t, "Agent", "a-asks", "asks", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: asks
MEMORY: {notes: {SCOPE: session}}
TOOLS: {note: {KIND: code, STORES: [notes], SOURCE: "return memory.get('notes').catch(e => e.code)"}}
FLOW: {START: a, STEPS: {a: {CALL: note, AS: session.code, NEXT: b}, b: {SAY: "{{ session.code }}"}}}
`})
	w.cluster = &cluster{a: w.a, b: off} // the shared one keeps its nodes
	require.Equal(t, "SERVICE_UNAVAILABLE", w.say(t, w.begin(t, "asks"), "Hi").Response)
}

// Given what code keeps of a session and of who talks in it, when she is erased, then it cannot
// be read any more, not by code whose token is still good, nor by who reads the events; what is
// kept of the project stays.
func TestWhatCodeKeepsOfAPersonIsErased(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, func(c *node.Config) { c.ErasureCalm = time.Second })
	m := &memoryWorld{talkWorld: talkWorld{&agentsWorld{cluster: w.cluster, tenant: w.one, auth: w.auth}}}
	m.apply(t, "Agent", "a-closer", "closer", fields{"projectId": mainApp, "dslContent": closingAgent})
	w.cluster.b = w.server
	m.session = m.begin(t, "closer")
	ann := m.ask(t, "POST", contactsPath, byMail("annabelle@example.com")).must(t, 201).contact(t)["id"].(string)
	m.ask(t, "POST", contactsPath+"/"+ann+"/link-session", fields{"sessionId": m.session}).must(t, 200)
	code := m.code(t)
	for _, store := range []string{"notes", "profile", "rates"} {
		m.use(t, code, "set", store, holding(fields{"likes": "tulips of " + store})).must(t, 200)
	}
	file := m.attachedFile(t, m.session, "tulips.png")
	w.do(t, "GET", file, nil).must(t, 200)
	asked := w.erase(t, fields{"kind": "email", "value": "annabelle@example.com"})
	done := w.erased(t, w.server, asked.Erasure.ErasureID)
	require.Equal(t, map[string]int{"contacts": 1, "memories": 2, "sessions": 1}, done.Erasure.Forgotten)
	w.do(t, "GET", file, nil).refused(t, 404, fault.NotFound)

	code = m.code(t) // the one before may be too old by now
	m.use(t, code, "get", "notes", nil).refused(t, 404, fault.NotFound)
	m.use(t, code, "set", "profile", holding(fields{})).refused(t, 404, fault.NotFound)
	next := m.code(t, of(m.begin(t, "closer")))
	require.Contains(t, m.use(t, next, "get", "rates", nil).must(t, 200).Text, "tulips of rates")
	for _, store := range []memories.Name{{Scope: memories.OfSession, OwnerID: m.session, Store: "notes"},
		{Scope: memories.OfContact, OwnerID: ann, Store: "profile"}} {
		store.TenantID, store.ProjectID = w.one.id, mainApp
		read, err := eventstore.Read(t.Context(), w.Store(), memories.Memories, store.Stream(w.Vault().MAC))
		require.NoError(t, err)
		require.Equal(t, memories.State{Version: 1}, read.State, "it is empty, and its version is kept")
	}
	gone, err := eventstore.Read(t.Context(), w.Store(), contacts.Contacts, contacts.Contacts.Stream(ann))
	require.NoError(t, err)
	require.False(t, gone.State.Exists())
	for _, e := range w.one.events(t, w.server, "category", "memories").Events {
		require.NotContains(t, string(e.Data), "tulips of notes")
		require.NotContains(t, string(e.Data), "tulips of profile")
	}
}
