package rest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gorilla/mux"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// wrap puts the refusals that come before those on fields in front of a route. Huma
// would look at fields first, so it gets to see only requests that passed.
func (a *API) wrap(h *huma.Operation, route *mux.Route) {
	op := a.declared[h.OperationID]
	op.body = ruleOf(h, a.huma.OpenAPI().Components.Schemas)
	op.query = queryOf(h, a.huma.OpenAPI().Components.Schemas)
	next := route.Name(h.OperationID).GetHandler()
	route.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		x.op, x.async, x.accept = op, prefersAsync(r.Header), r.Header.Values("Accept")
		defer x.giveBack()
		r, err := a.admit(x, r)
		if err != nil {
			x.refuse(r.Context(), err)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// admit is the order of refusals (docs/api-rules.md "Order of refusals"): 503 while the
// gate is shut, 413, a body that does not parse, 401, 403, 404, and the faults of
// fields that huma cannot see. What remains of the order is spoken by huma (400 on
// fields) and by call (429), then by the handler. Who is calling is found out before
// the body is read, so that nothing is kept of the bodies of strangers, and spoken in
// its turn. So it is counted then, whatever the body is, and each answer says what is left.
func (a *API) admit(x *exchange, r *http.Request) (*http.Request, error) {
	x.read()
	if a.cfg.Gate != nil {
		if err := a.cfg.Gate(); err != nil {
			return r, err
		}
	}
	for _, step := range []func(*exchange, *http.Request) (*http.Request, error){
		a.identify, a.meter, a.takeBody, parseQuery, a.authenticate, authorize, a.resolve, readIdempotencyKey,
	} {
		var err error
		if r, err = step(x, r); err != nil {
			return r, err
		}
	}
	return r, x.problems.InOrder().Err()
}

// resolve finds what the path names. A path that is not text names nothing.
func (a *API) resolve(x *exchange, r *http.Request) (*http.Request, error) {
	vars := mux.Vars(r)
	for name, raw := range vars {
		v, err := url.PathUnescape(raw)
		if err != nil || jsontext.UnfitText(v) != "" {
			return r, fault.New(fault.NotFound, "there is no such resource")
		}
		vars[name] = v
	}
	if x.op.Resolve == nil {
		return r, nil
	}
	ctx, err := x.op.Resolve(r.Context(), Params{r})
	if err != nil {
		return r, err
	}
	return r.WithContext(ctx), nil
}

// ofOpenAI is below which paths OpenAI's clients ask, also for what is not there.
const ofOpenAI = "/v1/"

// nowhere is the exchange of a request that is for no operation.
func nowhere(r *http.Request) *exchange {
	x := exchangeOf(r.Context())
	if strings.HasPrefix(r.URL.Path, ofOpenAI) {
		x.style = OpenAIErrors
	}
	return x
}

func (a *API) noRoute(_ http.ResponseWriter, r *http.Request) {
	if a.cfg.Elsewhere != nil {
		nowhere(r).refuse(r.Context(), a.cfg.Elsewhere)
		return
	}
	nowhere(r).refuse(r.Context(), fault.New(fault.NotFound, "there is nothing at this path"))
}

func (a *API) noMethod(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", strings.Join(a.allowed(r), ", "))
	nowhere(r).refuse(r.Context(), fault.New(fault.MethodNotAllowed, "%s is not allowed at this path", safeMethod(r.Method)))
}

// methods in the order in which Allow lists them.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

func (a *API) allowed(r *http.Request) []string {
	var out []string
	for _, m := range methods {
		probe := r.Clone(r.Context())
		probe.Method = m
		if a.routeOf(a.routed(probe)) != nil {
			out = append(out, m)
		}
	}
	return out
}

func (a *API) routeOf(r *http.Request) *mux.Route {
	var match mux.RouteMatch
	if !a.router.Match(r, &match) || match.MatchErr != nil {
		return nil
	}
	return match.Route
}

// routed is the request as the router gets it: HEAD asks what GET would answer (RFC 9110, 9.3.2), whose body the
// server leaves out. What goes on for as long as somebody reads it has no HEAD.
func (a *API) routed(r *http.Request) *http.Request {
	if r.Method != http.MethodHead || a.routeOf(r) != nil {
		return r
	}
	get := r.WithContext(r.Context())
	get.Method = http.MethodGet
	route := a.routeOf(get)
	if route == nil || a.goesOn(a.declared[route.GetName()]) {
		return r
	}
	return get
}

// goesOn says of a GET that its answer is a stream, or a socket.
func (a *API) goesOn(op *declared) bool {
	if op == nil {
		return false
	}
	answers := a.huma.OpenAPI().Paths[op.Path].Get.Responses
	_, socket := answers["101"]
	return socket || answers["200"] != nil && answers["200"].Content["text/event-stream"] != nil
}

// safeMethod keeps arbitrary request bytes out of messages and labels.
func safeMethod(m string) string {
	for _, known := range append(methods, http.MethodOptions, http.MethodTrace, http.MethodConnect) {
		if m == known {
			return m
		}
	}
	return "this method"
}
