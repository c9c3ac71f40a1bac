// Package rest is the HTTP side of Parley: the operations of docs/openapi.json, one
// file per group of resources, on a core that is written once.
//
// The core owns what is the same for every operation: the order of refusals, who
// is calling, rates, the error envelope, request ids, idempotency keys, the OpenAPI
// document and its page, health, metrics and the access log. An operation is
// declared with Declare and only says its path, its requirement, its input and
// output, and what to do.
//
// The package never decides anything about the domain (domain does), never writes
// to a database, and never shows the cause of an unexpected failure.
package rest

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gorilla/mux"
	"github.com/parley-platform/parley/handlers/rest/origins"
	"github.com/parley-platform/parley/handlers/rest/reference"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	"github.com/prometheus/client_golang/prometheus"
)

// Config is what the API is built from. Directory and HashKey are required for
// operations that are not public, Projects for those that use ProjectFrom.
type Config struct {
	Title   string // of the OpenAPI document; "Parley"
	Version string // of the API, shown in the OpenAPI document; "1"

	// PublicURL is how callers reach the API, its path included, as the OpenAPI document
	// says it; empty: a node of the reader's own machine.
	PublicURL string

	Directory tokens.Directory // clients and API keys, asked on every request
	HashKey   tokens.KeyHasher // how the secret of an API key is stored
	Projects  Projects         // ids and aliases of projects
	Sandbox   tokens.Sandbox   // tokens of agents' code; the zero value takes none
	SDK       tokens.SDK       // tokens of widgets and apps; the zero value takes none

	// KeySets fetches the key sets of clients that publish them at a URL. It must
	// refuse private addresses; nil means that such clients cannot be verified.
	KeySets *http.Client

	// RefusedAddress says of an error of KeySets that the address was one that is not
	// asked, which only operators are told; nil: of none.
	RefusedAddress func(error) bool

	// Gate answers a fault while nothing may be served, such as CATCHING_UP. Every
	// operation but health answers it before authenticating anybody.
	Gate func() error

	// Reading begins to read: the function it returns answers a fault if what was read
	// since may not be what the read models hold; nil: it always is.
	Reading func() func(context.Context) error

	// Away says of an error that the read models could not be asked at all, which is
	// as good as CATCHING_UP; nil: of none.
	Away func(error) bool

	Ready   func(context.Context) []Part // the parts that /readyz shows
	Metrics http.Handler                 // what /metrics answers; nil: not found
	Measure prometheus.Registerer        // where the HTTP metrics are registered; nil: nowhere

	// Elsewhere is the answer at paths that are not declared, on a node that serves
	// health alone; nil: NOT_FOUND.
	Elsewhere error

	// Origins are those of pages that may call the API from a browser (see origins.Check).
	Origins []string

	// Listed says that pages of an origin have a public key, and so may call what widgets call
	// from a browser; nil: none have.
	Listed func(ctx context.Context, origin string) (bool, error)

	// Developer has the credentials that the page of the reference is filled in with, once
	// there are any; nil: nobody's, as on every node without --dev.
	Developer func() *reference.Developer

	// Files are what pages load from here beside the API, by path; nil: nothing.
	Files map[string]http.Handler

	Rates map[Class]Rate // overrides of DefaultRates
	Nodes func() int     // live nodes that serve the API, each of which takes its share of a rate; nil: one

	Log *slog.Logger     // nil: slog.Default()
	Now func() time.Time // nil: time.Now
}

// API is the set of declared operations and the handler that serves them. Declare
// all operations before the first request.
type API struct {
	cfg      Config
	log      *slog.Logger
	now      func() time.Time
	router   *mux.Router
	handler  http.Handler // the router behind what browsers are told
	huma     huma.API
	declared map[string]*declared // by operation id
	tokens   *tokens.Verifier
	rates    *meters
	intake   *intake
	measures *measures

	streaming  context.Context // ends when the node stops: long answers end with it
	endStreams context.CancelFunc
	detached   sync.WaitGroup // answers whose connections the server does not know any more

	document sync.Once
	openapi  []byte

	drain    chan struct{} // closed when the node is about to end
	draining sync.Once
}

// New is an API with health, metrics and documentation, and no operations yet.
func New(cfg Config) *API {
	a := &API{
		cfg:      cfg,
		log:      cmp.Or(cfg.Log, slog.Default()),
		now:      cfg.Now,
		declared: map[string]*declared{},
		measures: newMeasures(cfg.Measure),
		drain:    make(chan struct{}),
	}
	if a.now == nil {
		a.now = time.Now
	}
	a.streaming, a.endStreams = context.WithCancel(context.Background())
	a.tokens = tokens.NewVerifier(tokens.VerifierConfig{Directory: cfg.Directory, KeySets: cfg.KeySets, RefusedAddress: cfg.RefusedAddress,
		Measure: cfg.Measure, Log: a.log, Now: a.now})
	a.rates = newMeters(cfg.Rates, cfg.Nodes, a.now)
	a.intake = newIntake()
	// Paths are matched as they were sent: a redirect to a cleaned path would lose
	// the body, and an escaped slash belongs to the value that holds it.
	a.router = mux.NewRouter().SkipClean(true).UseEncodedPath()
	a.router.NotFoundHandler = http.HandlerFunc(a.noRoute)
	a.router.MethodNotAllowedHandler = http.HandlerFunc(a.noMethod)
	a.handler = origins.AllowPages(a.listed, a.router, origins.Allow(cfg.Origins, a.router))
	a.huma = a.newHuma(cfg)
	a.serveHealth()
	a.serveReference()
	return a
}

// Description is the OpenAPI document while operations are declared, for what cannot be
// said by the types of an input and an output.
func (a *API) Description() *huma.OpenAPI { return a.huma.OpenAPI() }

// Measure is where metrics are registered; nil: nowhere.
func (a *API) Measure() prometheus.Registerer { return a.cfg.Measure }

// listed says that pages of an origin have a public key. A question that nobody answers is
// answered no: the browser asks again.
func (a *API) listed(r *http.Request, origin string) bool {
	if a.cfg.Listed == nil {
		return false
	}
	listed, err := a.cfg.Listed(r.Context(), origin)
	if err != nil {
		a.log.Warn("whether pages of an origin have a public key is not known; they are told no", "error", err)
	}
	return err == nil && listed
}

// ServeHTTP answers one request. Every response has X-Request-Id, and a panic is a
// logged INTERNAL_ERROR.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, r := a.begin(w, r)
	defer a.end(x, r)
	guardAnswer(x.answer.Header())
	a.sayGoodbye(x.answer.Header())
	a.handler.ServeHTTP(x.answer, a.routed(r))
}

// guardAnswer keeps answers out of caches and from being taken for something else: they
// hold people's data, and texts that callers wrote. What may be kept says so itself.
func guardAnswer(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}
