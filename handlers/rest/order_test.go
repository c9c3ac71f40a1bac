package rest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// One request has every fault there is; the faults are taken away one after the
// other, and each time the next one of the order is answered.
func TestRefusalsComeInOneOrder(t *testing.T) {
	closed := fault.New(fault.CatchingUp, "the read models are behind the log").After(2500 * time.Millisecond)
	var gate error = closed
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Gate = func() error { return gate }
		c.Rates = map[rest.Class]rest.Rate{rest.Requests: {Limit: 1, Per: time.Hour}}
	})
	w.Calls.Next = fault.New(fault.Conflict, "there is one already")
	noScope := w.Token(func(g *tokens.Grant) { g.Scopes = nil })

	path, auth, body := "/calls/unknown?limit=0", "nonsense", strings.Repeat("{", rest.MaxBody+1)
	try := func() *resttest.Reply {
		return w.Call(http.MethodPost, path, body, "auth", auth, "Idempotency-Key", "k")
	}
	refused := func(status int, code fault.Code) {
		t.Helper()
		got := try()
		require.Equal(t, status, got.Status, got.Text)
		require.Equal(t, code, got.Code())
		require.Zero(t, w.Calls.N)
	}

	refused(503, fault.CatchingUp)
	gate = nil
	refused(413, fault.TooLarge)
	body = `{"target": 7, `
	refused(400, fault.BadRequest)
	body = `{"target": 7, "machineDetection": "perhaps"}`
	refused(401, fault.Unauthorized)
	auth = noScope
	refused(403, fault.Forbidden)
	auth = w.Token() // the rate is used up from here on, and is spoken last
	refused(404, fault.NotFound)
	path = "/calls/p-1?limit=0"
	refused(400, fault.Validation)
	require.Equal(t, []string{"limit", "machineDetection", "target"}, try().Fields())
	path, body = "/calls/p-1", `{"target": "tel:+15550001"}`
	refused(429, fault.RateLimit)
	w.Now = w.Now.Add(time.Hour)
	auth = w.Token()
	require.Equal(t, fault.Conflict, try().Code())
	require.Equal(t, 1, w.Calls.N)
}

func TestTheGateIsNotAskedForHealth(t *testing.T) {
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Gate = func() error { return fault.New(fault.CatchingUp, "behind").After(2500 * time.Millisecond) }
	})
	got := w.Call(http.MethodGet, "/greetings/ada", "")
	require.Equal(t, 503, got.Status)
	require.Equal(t, "3", got.Header.Get("Retry-After"))
	require.EqualValues(t, 2500, *got.Refusal.Error.RetryAfterMs)
	require.Equal(t, 200, w.Call(http.MethodGet, "/livez", "").Status)
	ready := w.Call(http.MethodGet, "/readyz", "")
	require.Equal(t, 503, ready.Status)
	require.JSONEq(t, `{"ready":false,"parts":[{"name":"gate","ready":false,"detail":"CATCHING_UP"}]}`, ready.Text)
}

// What handlers answer, and what callers see of it.
func TestFaultsBecomeAnswers(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, c := range []struct {
		err    error
		status int
		code   fault.Code
		retry  string
	}{
		{fault.Field("target", "is not a number"), 400, fault.Validation, ""},
		{fault.New(fault.BadRequest, "no"), 400, fault.BadRequest, ""},
		{fault.New(fault.Conflict, "no"), 409, fault.Conflict, ""},
		{fault.New(fault.Gone, "no"), 410, fault.Gone, ""},
		{fault.New(fault.QueueFull, "no").After(1), 429, fault.QueueFull, "1"},
		{fault.New(fault.LimitReached, "no").After(time.Second), 429, fault.LimitReached, ""},
		{fault.New(fault.BudgetExceeded, "no").After(time.Second), 429, fault.BudgetExceeded, ""},
		{fault.New(fault.ProjectionFailed, "no"), 500, fault.ProjectionFailed, ""},
		{fault.New(fault.Unavailable, "no"), 503, fault.Unavailable, ""},
		{fault.New(fault.NotExecuted, "no").After(1001 * time.Millisecond), 503, fault.NotExecuted, "2"},
		{fault.New(fault.OutcomeUnknown, "no").Because(errors.New("10.0.0.7")), 503, fault.OutcomeUnknown, ""},
		{errors.New("10.0.0.7 refused"), 500, fault.Internal, ""},
		{fault.New("SOMETHING_NEW", "no"), 500, "SOMETHING_NEW", ""},
	} {
		t.Run(string(c.code), func(t *testing.T) {
			w.Calls.Next = c.err
			got := w.Call(http.MethodPost, "/calls/p-1", `{"target":"a"}`, "auth", w.Token())
			require.Equal(t, c.status, got.Status, got.Text)
			require.Equal(t, c.code, got.Code())
			require.Equal(t, c.retry, got.Header.Get("Retry-After"))
			require.Equal(t, c.retry != "", got.Refusal.Error.RetryAfterMs != nil)
			require.False(t, *got.Refusal.Success)
			require.NotContains(t, got.Text, "10.0.0.7")
			require.Equal(t, "application/json", got.Header.Get("Content-Type"))
		})
	}
	require.Contains(t, w.Log.String(), "10.0.0.7 refused", "the operator sees the cause")
}

func TestASliceCanNameItsOwnCode(t *testing.T) {
	rest.RegisterCode("TURN_SUSPENDED_IN_TEST", http.StatusConflict)
	w := resttest.NewWorld(t)
	w.Calls.Next = fault.New("TURN_SUSPENDED_IN_TEST", "the turn waits")
	require.Equal(t, 409, w.Call(http.MethodPost, "/calls/p-1", `{"target":"a"}`, "auth", w.Token()).Status)
	require.Panics(t, func() { rest.RegisterCode(fault.Conflict, http.StatusTeapot) })
}

func TestHookOperationsRefuseInTheirOwnStyle(t *testing.T) {
	w := resttest.NewWorld(t)
	require.JSONEq(t, `{"code":401,"message":"this operation takes a token (JWT)"}`,
		w.Call(http.MethodPost, "/hooks/p-1", `{"target":"a"}`, "x-api-key", resttest.FullKey).Text)
	require.JSONEq(t, `{"code":400,"message":"target is required"}`,
		w.Call(http.MethodPost, "/hooks/p-1", `{}`, "token", w.Token()).Text)
	w.Calls.Next = fault.New(fault.BadRequest, "the linked bot details could not be found")
	require.JSONEq(t, `{"code":400,"message":"the linked bot details could not be found"}`,
		w.Call(http.MethodPost, "/hooks/p-1", `{"target":"a"}`, "token", w.Token()).Text)
}

// A hook that cannot be taken now says why, and when to come again, as other operations do.
func TestHookOperationsSayWhatToDoOnABadDay(t *testing.T) {
	var gate error
	w := resttest.NewWorld(t, func(c *rest.Config) { c.Gate = func() error { return gate } })
	hook := func() string { return w.Call(http.MethodPost, "/hooks/p-1", `{"target":"a"}`, "token", w.Token()).Text }
	for _, c := range []struct {
		next error
		want string
	}{
		{fault.New(fault.NotExecuted, "no").After(time.Second), `{"code":503,"message":"no","errorCode":"NOT_EXECUTED","retryAfterMs":1000}`},
		{fault.New(fault.OutcomeUnknown, "no").After(2 * time.Second),
			`{"code":503,"message":"no","errorCode":"OUTCOME_UNKNOWN","retryAfterMs":2000}`},
		{fault.New(fault.QueueFull, "no").After(time.Millisecond), `{"code":429,"message":"no","errorCode":"QUEUE_FULL","retryAfterMs":1}`},
		{fault.New(fault.ProjectionFailed, "no"), `{"code":500,"message":"no","errorCode":"PROJECTION_FAILED"}`},
		{fault.New(fault.Conflict, "no"), `{"code":409,"message":"no"}`},
	} {
		w.Calls.Next = c.next
		require.JSONEq(t, c.want, hook())
	}
	gate = fault.New(fault.CatchingUp, "behind").After(time.Second)
	require.JSONEq(t, `{"code":503,"message":"behind","errorCode":"CATCHING_UP","retryAfterMs":1000}`, hook())
}

// Answers hold people's data and texts of callers: no cache keeps them, no browser takes
// them for anything else. The documentation is everybody's.
func TestAnswersAreNotKeptNorGuessed(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, c := range []struct{ method, path, cache string }{
		{"GET", "/greetings/ada", "no-store"}, {"GET", "/greetings/panic", "no-store"}, {"GET", "/sessions", "no-store"},
		{"GET", "/nothing", "no-store"}, {"PUT", "/sessions", "no-store"}, {"GET", "/livez", "no-store"}, {"GET", "/readyz", "no-store"},
		{"GET", "/docs", "no-store"}, {"GET", "/docs/page.js", "public, max-age=300"}, {"GET", "/openapi.json", "public, max-age=300"},
		{"GET", "/asyncapi.json", "public, max-age=300"},
	} {
		got := w.Call(c.method, c.path, "")
		require.Equal(t, c.cache, got.Header.Get("Cache-Control"), c.path)
		require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"), c.path)
	}
}

func TestPanicsAndFailuresShowNothing(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, name := range []string{"panic", "broken"} {
		got := w.Call(http.MethodGet, "/greetings/"+name, "")
		require.Equal(t, 500, got.Status)
		require.Equal(t, fault.Internal, got.Code())
		require.Contains(t, got.Refusal.Error.Message, got.Header.Get("X-Request-Id"))
		require.NotContains(t, got.Text, "hunter2")
		require.NotContains(t, got.Text, "10.0.0.7")
		require.Contains(t, w.Log.String(), got.Header.Get("X-Request-Id"))
	}
	require.Contains(t, w.Log.String(), "hunter2")
}

func TestUnknownPathsAndMethods(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, c := range []struct {
		method, path string
		status       int
		code         fault.Code
		allow        string
	}{
		{"GET", "/", 404, fault.NotFound, ""},
		{"GET", "/nothing/here", 404, fault.NotFound, ""},
		{"POST", "/calls/", 404, fault.NotFound, ""},
		{"POST", "/calls//p-1", 404, fault.NotFound, ""},
		{"POST", "/calls/../calls/p-1", 404, fault.NotFound, ""},
		{"GET", "/calls/p-1", 405, fault.MethodNotAllowed, "POST"},
		{"BREW", "/sessions", 405, fault.MethodNotAllowed, "GET, HEAD"},
		{"DELETE", "/livez", 405, fault.MethodNotAllowed, "GET, HEAD"},
		{"GET", "/greetings/%ff", 404, fault.NotFound, ""},
		{"GET", "/greetings/a%00b", 404, fault.NotFound, ""},
		{"GET", "/greetings/a?x=%00", 400, fault.Validation, ""},
		{"GET", "/greetings/a?x=%zz", 400, fault.BadRequest, ""},
	} {
		t.Run(c.method+c.path, func(t *testing.T) {
			got := w.Call(c.method, c.path, "")
			require.Equal(t, c.status, got.Status, got.Text)
			require.Equal(t, c.code, got.Code())
			require.Equal(t, c.allow, got.Header.Get("Allow"))
			require.True(t, strings.HasPrefix(got.Header.Get("X-Request-Id"), "tr-"))
		})
	}
	require.Contains(t, w.Call("GET", "/greetings/a%2Fb%20c", "").Text, "hello a/b c", "an escaped slash belongs to its value")
}

func TestRequestIDs(t *testing.T) {
	w := resttest.NewWorld(t)
	a := w.Call(http.MethodPost, "/calls/p-1", `{"target":"a"}`, "auth", w.Token(), "X-Request-Id", "mine")
	b := w.Call(http.MethodPost, "/calls/p-1", `{"target":"a"}`, "auth", w.Token())
	require.Regexp(t, `^tr-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, a.Header.Get("X-Request-Id"))
	require.NotEqual(t, a.Header.Get("X-Request-Id"), b.Header.Get("X-Request-Id"))
	require.Contains(t, a.Text, `"request":"`+a.Header.Get("X-Request-Id")+`"`, "the handler sees the same id")
}

func TestTheAccessLogHoldsNoSecrets(t *testing.T) {
	w := resttest.NewWorld(t)
	token := w.Token()
	w.Call(http.MethodPost, "/calls/p-1?access_token=opensesame", `{"target":"tel:+15550001"}`, "auth", token)
	w.Call(http.MethodGet, "/sessions", "", "x-api-key", resttest.FullKey)
	w.Call(http.MethodGet, "/no/such/opensesame", "")
	log := w.Log.String()
	require.Contains(t, log, "operation=place-call")
	require.Contains(t, log, "tenant=acme")
	require.Contains(t, log, "actor=user:ada@crm")
	require.Contains(t, log, "actor=key:ak-1")
	for _, hidden := range []string{token, resttest.FullKey, "opensesame", "15550001"} {
		require.NotContains(t, log, hidden)
	}
}

func TestDeclarationsMustBeComplete(t *testing.T) {
	api := rest.New(rest.Config{})
	good := rest.Operation{ID: "a", Method: "GET", Path: "/things/{id}", Summary: "A", Requirement: access.Public}
	declare := func(op rest.Operation) func() {
		return func() { rest.Declare(api, op, (&resttest.Calls{}).Place) }
	}
	bad := good
	bad.Requirement = access.Requirement{}
	require.PanicsWithValue(t, `rest: operation "a" does not state who may call it: set Requirement, access.Public if anyone may`,
		declare(bad))
	anyones := good
	anyones.Path = "/projects/{projectId}/things"
	require.PanicsWithValue(t, `rest: operation "a" does not look whose it is what its path names: set Resolve, such as ProjectFrom`,
		declare(anyones))
	require.NotPanics(t, declare(good))
	require.PanicsWithValue(t, `rest: operation "a" is declared twice`, declare(good))
	late := good
	late.ID, late.Path = "b", "/things/export"
	require.PanicsWithValue(t, `rest: operation "b" is never reached: declare it before "a"`, declare(late))
	late.ID, late.Path = "c", "/others"
	require.PanicsWithValue(t, `rest: operation "c": rest_test.thingID is embedded in a body but not exported, so the document would `+
		`lack its members: export it`, func() {
		rest.Declare(api, late, func(context.Context, *struct{}) (*shownThings, error) { return nil, nil })
	})
}

type thingID struct {
	ID string `json:"id"`
}

// shownThings is an answer in whose list something is embedded that the document cannot see.
type shownThings struct {
	Body struct {
		Things []struct{ thingID }
	}
}
