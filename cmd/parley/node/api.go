package node

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/cmd/parley/version"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/examples/talk"
	"github.com/parley-platform/parley/examples/widget"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/reference"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	"github.com/parley-platform/parley/projections/access"
)

// newAPI declares every operation of the node's API.
func (n *Node) newAPI() *rest.API {
	d := directory{access.NewAccess(n.db.Queries).Knowing(n.projector.Moment), n.vault}
	guard := n.guard()
	cfg := rest.Config{
		Version: version.Number, PublicURL: n.cfg.PublicURL,
		Directory: d, HashKey: slices.KeyHash(n.vault), Projects: d, Gate: n.gate, Reading: n.projector.Reading, Ready: n.ready,
		Away:    func(err error) bool { return postgres.Unanswered(err) || n.projector.Lacks(err) },
		KeySets: guard.HTTPClient(5 * time.Second), RefusedAddress: func(err error) bool { return errors.Is(err, webhook.ErrRefusedAddress) },
		Metrics: promhttp.HandlerFor(n.registry, promhttp.HandlerOpts{}), Measure: n.registry, Nodes: n.projector.Nodes, Log: n.log,
		Origins: n.cfg.CORSOrigins, Files: widgetFiles(n.cfg.Dev),
	}
	cfg.SDK, cfg.Listed = slices.SDKTokens(n.vault, n.db.Queries, n.clock.Now), d.access.Listed
	if !n.cfg.SandboxOff {
		cfg.Sandbox = tokens.Sandbox{Secret: n.vault.SandboxSecret(), Now: n.clock.Now}
	}
	if n.cfg.Rate > 0 {
		cfg.Rates = map[rest.Class]rest.Rate{
			rest.Requests:  {Limit: n.cfg.Rate, Per: time.Second},
			rest.Strangers: {Limit: max(n.cfg.Rate, rest.DefaultRates[rest.Strangers].Limit), Per: time.Second},
		}
	}
	if n.cfg.Dev {
		cfg.Developer = n.developer.Load
	}
	if !n.cfg.has(RoleAPI) {
		cfg.Elsewhere = fault.New(fault.Unavailable, "this node does not serve the API: ask one that has the role api").After(time.Second)
		return rest.New(cfg)
	}
	return slices.Declare(rest.New(cfg), n.slices)
}

// widgetFiles are the chat widget, and with Dev a page that has it, and one on which people talk.
func widgetFiles(dev bool) map[string]http.Handler {
	script := reference.File(widget.Script, "text/javascript; charset=utf-8")
	files := map[string]http.Handler{"/widget.js": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // pages of others load it
		script.ServeHTTP(w, r)
	})}
	if dev {
		files["/widget/"] = reference.File(widget.Page, "text/html; charset=utf-8")
		files["/talk/"] = reference.File(talk.Page, "text/html; charset=utf-8")
	}
	return files
}

// ready describes the node's parts for /readyz.
func (n *Node) ready(ctx context.Context) []rest.Part {
	lag := n.projector.Lag()
	parts := []rest.Part{{Name: "projections", Ready: lag.Ready(), Degraded: lag.Degraded(), Detail: lag}}
	parts = append(parts, rest.Part{Name: "analytics", Ready: true, Detail: n.analytics.Lag()}) // nobody waits for them
	there := map[string]any{"live": n.projector.Live(), "serving": n.projector.Nodes()}
	unlike := n.projector.Unlike()
	if len(unlike) > 0 {
		there["unlike"] = unlike
	}
	parts = append(parts, rest.Part{Name: "nodes", Ready: true, Degraded: len(unlike) > 0, Detail: there})
	if who := n.projector.Absent(); who != "" {
		parts = append(parts, rest.Part{Name: "projectors", Detail: who})
	}
	if n.cfg.Prepared != nil && !n.cfg.Prepared() {
		parts = append(parts, rest.Part{Name: "workspace", Detail: "the example workspace is applied"})
	}
	if n.cfg.has(RoleReactor) || n.cfg.has(RoleMedia) {
		parts = append(parts, n.reactorsPart())
	}
	var asked []func(context.Context) rest.Part
	if n.sip().Listen != "" {
		asked = append(asked, n.trunksPart)
	}
	return append(parts, askAll(ctx, append(asked, n.blobsPart, n.kafkaPart, n.postgresPart)...)...)
}

// askAll asks parts outside of this process for two seconds, all at once: one that does not answer takes none of the others' time, by
// which they would be found not to answer either.
func askAll(ctx context.Context, asked ...func(context.Context) rest.Part) []rest.Part {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	parts := make([]rest.Part, len(asked))
	var wg sync.WaitGroup
	for i, ask := range asked {
		wg.Go(func() { parts[i] = ask(ctx) })
	}
	wg.Wait()
	return parts
}

func (n *Node) kafkaPart(ctx context.Context) rest.Part {
	part := answering(ctx, "kafka", n.kafka.Ping)
	if part.Ready && n.broker != nil { // it answers, and takes nothing
		if full := n.broker.Full(); full != "" {
			part.Degraded, part.Detail = true, full
		}
	}
	return part
}

func (n *Node) postgresPart(ctx context.Context) rest.Part {
	return answering(ctx, "postgres", n.db.Queries.Ping)
}

func answering(ctx context.Context, name string, ping func(context.Context) error) rest.Part {
	if err := ping(ctx); err != nil {
		return rest.Part{Name: name, Detail: "does not answer"}
	}
	return rest.Part{Name: name, Ready: true}
}

var _ http.Handler = (*rest.API)(nil)
