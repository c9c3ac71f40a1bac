package sockets

import (
	"context"
	"encoding/base64"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/coder/websocket"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
)

// Operation is one whose answer is a socket. Method and status are said here for all.
type Operation struct {
	rest.Operation
	Says      string   // what is said on it, for the document
	Protocols []string // that are agreed to, the first of them that the other side offers

	// Of is whose one is, such as a session, which may have Most of them open on a node; nil: nobody's in particular.
	Of   func(ctx context.Context) string
	Most int

	// Origins says of a page whether it may open one; nil: none may. A page that a public key is
	// for was judged with its credential.
	Origins func(ctx context.Context, origin string) bool

	places *eventstream.Places
}

// enter takes the places that a socket needs.
func (s *Sockets) enter(ctx context.Context, op Operation) (leave func(), err error) {
	ofAll, err := s.places.Enter(rest.PrincipalOf(ctx).TenantID)
	if err != nil || op.Of == nil {
		return ofAll, err
	}
	ofOne, err := op.places.Enter(op.Of(ctx))
	if err != nil {
		ofAll()
		return nil, err
	}
	return func() { ofOne(); ofAll() }, nil
}

// Opening is a socket that may be opened.
type Opening struct {
	// Take does what a socket changes by being opened, once nothing refuses it any more, and before the other side
	// knows of it. The context ends with the socket. nil: it changes nothing.
	Take  func(ctx context.Context) error
	Serve Serve
}

// Declare adds an operation whose answer is a socket: GET, answered with 101. All that rest.Declare
// refuses is refused before there is a socket, and so is what open refuses. Open must change nothing: a
// place may be wanting still.
func Declare[I any](api *rest.API, s *Sockets, op Operation, open func(ctx context.Context, in *I) (Serve, error)) {
	DeclareTaking(api, s, op, func(ctx context.Context, in *I) (Opening, error) {
		serve, err := open(ctx, in)
		return Opening{Serve: serve}, err
	})
}

// DeclareTaking is Declare of a socket that takes something by being opened.
func DeclareTaking[I any](api *rest.API, s *Sockets, op Operation, open func(ctx context.Context, in *I) (Opening, error)) {
	op.Method, op.Status = http.MethodGet, http.StatusSwitchingProtocols
	op.Refusals = append(slices.Clone(op.Refusals), fault.RateLimit, fault.Forbidden)
	steps := []rest.ResolveFunc{op.page}
	if op.Resolve != nil {
		steps = append(steps, op.Resolve)
	}
	op.Resolve = rest.ResolveAll(append(steps, upgrades)...)
	op.places = &eventstream.Places{Of: "sockets of one session, or of whom they are for,", PerTenant: op.Most}
	rest.Declare(api, op.Operation, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		opening, err := open(ctx, in)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			r, w := humamux.Unwrap(hc)
			s.answer(ctx, op, w, r, opening)
		}}, nil
	})
	answer := api.Description().Paths[op.Path].Get.Responses["101"]
	answer.Description = "A WebSocket. A message has at most 64 KiB; a larger one closes it with 1009. It is closed with 1001 when the node " +
		"stops and with 1013 when what is sent is not taken (come again, both), with 1008 when the credential does not hold any more."
	if len(op.Protocols) > 0 {
		answer.Description += " Sec-WebSocket-Protocol: " + strings.Join(op.Protocols, ", ") + "."
	}
	if op.Says != "" {
		answer.Description += "\n\n" + op.Says
	}
}

// page refuses a page that may not open a socket: browsers let any page try.
func (op Operation) page(ctx context.Context, p rest.Params) (context.Context, error) {
	origin := p.Header("Origin")
	if origin == "" || rest.PrincipalOf(ctx).Page == origin || op.Origins != nil && op.Origins(ctx, origin) {
		return ctx, nil
	}
	return ctx, fault.New(fault.Forbidden, "pages of this Origin may not open this socket")
}

// upgrades refuses what is no request for a socket, and names the header.
func upgrades(ctx context.Context, p rest.Params) (context.Context, error) {
	var f fault.Fields
	for header, wanted := range map[string]string{"Upgrade": "websocket", "Connection": "upgrade"} {
		if !slices.ContainsFunc(strings.Split(p.Header(header), ","), func(word string) bool {
			return strings.EqualFold(strings.TrimSpace(word), wanted)
		}) {
			f.Add(header, "must say %s: this path is for WebSockets", wanted)
		}
	}
	if p.Header("Sec-WebSocket-Version") != "13" {
		f.Add("Sec-WebSocket-Version", "must be 13")
	}
	if key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(p.Header("Sec-WebSocket-Key"))); err != nil || len(key) != 16 {
		f.Add("Sec-WebSocket-Key", "must be 16 bytes in base64")
	}
	return ctx, f.InOrder().Err()
}

// plain refuses what has all that upgrades wants, and more than may be: what is left is a request that is not
// refused any more.
func plain(r *http.Request) error {
	var f fault.Fields
	if len(r.Header.Values("Sec-WebSocket-Key")) != 1 {
		f.Add("Sec-WebSocket-Key", "must be there once")
	}
	if !r.ProtoAtLeast(1, 1) {
		f.Add("Upgrade", "needs HTTP/1.1")
	}
	return f.Err()
}

// answer upgrades a request, and has the socket served beside: the goroutine of the request, whose stack has grown
// by all that was asked before, ends with all that it holds.
func (s *Sockets) answer(ctx context.Context, op Operation, w http.ResponseWriter, r *http.Request, opening Opening) {
	long := rest.LongAnswerOf(ctx)
	if err := plain(r); err != nil {
		long.Refuse(ctx, err)
		return
	}
	leave, err := s.enter(ctx, op)
	if err != nil {
		long.Refuse(ctx, err)
		return
	}
	within, cancel := context.WithCancel(long.Outliving(ctx))
	end, served := func() { cancel(); leave() }, false
	defer func() {
		if !served {
			end()
		}
	}()
	if opening.Take != nil {
		if err := opening.Take(within); err != nil {
			long.Refuse(ctx, err)
			return
		}
	}
	over := long.Detached()
	end = func() { over(); cancel(); leave() }
	// Who may open it was judged before, by the credential or by page.
	conn, err := websocket.Accept(sparing{w}, r, &websocket.AcceptOptions{Subprotocols: op.Protocols, InsecureSkipVerify: true})
	if err != nil {
		rest.Logger(ctx).Info("a socket was not opened", "requestId", rest.CorrelationID(ctx), "cause", err)
		return
	}
	conn.SetReadLimit(MaxMessage)
	long.LetGo()
	may := rest.LongAnswerOf(within).Apart().Credential(r)
	x := &Socket{conn: conn, most: s.cfg.Waiting, end: cancel, closed: make(chan struct{})}
	served = true
	go func() {
		defer end()
		s.serve(within, x, op.ID, may, opening.Serve)
	}()
}

// serve has a socket served until its connection is no more.
func (s *Sockets) serve(ctx context.Context, x *Socket, operation string, may allowed, serve Serve) {
	defer s.measured(x, operation)()
	defer s.keep(x, may)()
	defer s.watch(ctx, x)()
	defer func() { <-x.closed }()
	defer rest.LongAnswerOf(ctx).EndsWithNode(func() { x.Close(NodeStops, "the node stops") })()
	x.fail = func(p any) {
		x.Close(Broken, "an unexpected failure")
		rest.Logger(ctx).Error("a socket panicked", "requestId", rest.CorrelationID(ctx), "operation", operation, "panic", p,
			"stack", string(debug.Stack()))
	}
	defer func() {
		if p := recover(); p != nil {
			x.fail(p)
		}
		x.Close(Done, "")
		x.all.Wait()
	}()
	serve(ctx, x)
}
