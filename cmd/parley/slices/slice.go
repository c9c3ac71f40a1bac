package slices

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/adapters/blob"
	"github.com/parley-platform/parley/adapters/channels/email"
	"github.com/parley-platform/parley/adapters/genai"
	"github.com/parley-platform/parley/adapters/rtc"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	voiceapi "github.com/parley-platform/parley/handlers/rest/voice"
	"github.com/parley-platform/parley/handlers/sockets"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/engine"
	privacymodels "github.com/parley-platform/parley/projections/privacy"
)

// Slice is one group as a node sees it. A test in house/ compares what slices list with
// what the packages declare, so that nothing is built and left unwired.
type Slice struct {
	Operations []func(*rest.API)             // each declares those of one file
	Reactors   []reactors.Reactor            // what follows the log
	Effects    []reactors.Effect             // what is made outside in attempts: each is a reactor and a timer
	Timers     []Timer                       // others, each with what it does
	Run        []func(context.Context)       // beside the reactors, until the context ends
	Measures   []prometheus.Collector        // of what it does on this node
	Mail       *email.Door                   // where mail comes in, on a node that listens for it
	Media      Media                         // what is done where calls with sound are carried
	Drain      *Drain                        // of what ends by itself, before all else at the end; nil: nothing
	Close      []func(context.Context) error // after the reactors; what does not end in time says so
}

// Media is what a slice does on the nodes that carry calls with sound, whether they do anything else or not.
type Media struct {
	Reactors []reactors.Reactor
	Timers   []string                // of Timers, those that are fired there, too
	Run      []func(context.Context) // beside the reactors, until the context ends
}

// Drain is of what a node lets end by itself.
type Drain struct {
	Refuse func() int // takes nothing new, and says how much there is
	Await  func(ctx context.Context) (left int)
}

// Timer is one that a read model sets for streams of a category.
type Timer struct {
	Of   *event.Category
	Name string
	Fire reactors.TimerHandler
}

// Needs is what a node has, for its slices to take from. The zero value is a node that has
// nothing: its slices can be looked at, and nothing of them can be run.
type Needs struct {
	Node      string
	Store     *eventstore.Store
	Keys      *keyring.Ring
	Read      *pgxpool.Pool // where the read models are queried
	Projector *engine.Projector
	Vault     *vault.Vault
	Blobs     *blob.Store
	Now       func() time.Time // the clock that all nodes share
	Log       *slog.Logger
	URL       func() string // how callers reach the API
	Reached   bool          // URL is what the operator said, or this machine plays the callers
	Guard     webhook.Guard // of the addresses that callers give
	Watch     *genai.Watch  // of turns, models and tools; nil: nobody looks at it
	Metrics   prometheus.Registerer
	Gate      func() error // refuses while the read models catch up
	Pages     *rtc.Server  // where pages call; nil: they do not
	Settings

	serving *acts.Lines // of who serve the lines of queues
}

// Settings are those of a node that only one of its groups goes by.
type Settings struct {
	SandboxOff      bool          // the code of agents is not let in
	KeyLimit        int           // API keys of one scope; 0: as many as the domain says
	StreamHeartbeat time.Duration // of GET /api/v1/events/stream; 0: 15 s
	SimSpeed        int           // of the simulated carrier
	RecordingFolder string        // of calls that are being recorded; empty: none is
	DeploymentDrain time.Duration // how long a retired deployment still serves the sessions that it has; 0: 30 s
	// Sessions of one tenant in which something was said lately; 0: 1,000.
	ConcurrentSessions int
	Turns              int           // for which a node makes calls at a time; 0: 500
	WaitingMessages    int           // on a node, of all sessions; 0: 2,000
	CallLease          time.Duration // how long a call outlives the node that carries it
	CampaignLines      pacing.Lines  // of each tenant
	ErasureCalm        time.Duration // of the pause before an erasure is believed to be done; 0: 35 s
	RetentionGrace     time.Duration // after which a project's rule to keep things for so long begins to hold; 0: an hour
	Providers          Providers
	SIP                SIP
	MediaCalls         int // whose sound a node carries, for each of its cores; 0: 250
}

// group is its read models, which are awaited (a reply arrives when all of them hold its
// events), and what puts its slice together.
type group struct {
	models []*projections.Model
	slice  func(Needs, providers) Slice
}

// groups are all there are. Their operations are declared, and their reactors registered,
// in this order.
var groups = []group{{platformModels, platformSlice}, {voiceModels, voiceSlice}, {contactCenterModels, contactCenterSlice},
	{campaignsModels, campaignsSlice}, {reportingModels, reportingSlice}, {runtimeModels, runtimeSlice},
	{channelsModels, channelsSlice}, {nil, privacySlice}, {nil, auditSlice}}

// All are the slices of a node. An error is that of a provider's settings.
func All(n Needs) ([]Slice, error) {
	if n.Now == nil {
		n.Now = time.Now
	}
	if n.Watch == nil {
		n.Watch = genai.New(false)
	}
	n.serving = &acts.Lines{}
	opened, err := n.Providers.open()
	if err != nil {
		return nil, err
	}
	opened.talking = n.talking(opened.models)
	opened.speaker, opened.pacer = n.speaker(), voice.NewPacer(voice.PacerOptions{Metrics: n.Metrics, Threads: runtime.GOMAXPROCS(0)})
	opened.pipelines = &voiceapi.Pipelines{}
	if opened.sip, err = n.openSIP(opened); err != nil {
		return nil, err
	}
	opened.sockets = sockets.New(sockets.Config{Measure: n.Metrics, Log: n.Log, Watch: n.watchCredential})
	out := make([]Slice, len(groups))
	for i, of := range groups {
		out[i] = of.slice(n, opened)
	}
	return out, nil
}

// Declared are the slices of a node that has nothing, to be looked at.
func Declared() []Slice {
	all, err := All(Needs{})
	if err != nil {
		panic(fmt.Sprintf("slices: providers on this machine need no settings: %v", err))
	}
	return all
}

// Declare adds every operation to the API.
func Declare(api *rest.API, all []Slice) *rest.API {
	for _, s := range all {
		for _, declare := range s.Operations {
			declare(api)
		}
	}
	return api
}

// Models lists the read models of all groups. What a person is known by is hashed by the
// vault; models that are only looked at need none.
func Models(v *vault.Vault) (out []*projections.Model) {
	for _, g := range groups {
		out = append(out, g.models...)
	}
	return append(out, privacymodels.PersonsModel(v.Fingerprint), privacymodels.ErasuresModel,
		privacymodels.DisclosuresModel, privacymodels.RetentionsModel)
}

// Following lists the reactors of all slices, those of effects too.
func Following(all []Slice) (out []reactors.Reactor) {
	for _, s := range all {
		out = append(out, s.Reactors...)
		for _, e := range s.Effects {
			out = append(out, e.Reactor())
		}
	}
	return out
}

// OnMedia is what all slices do where calls with sound are carried.
func OnMedia(all []Slice) (out Media) {
	for _, s := range all {
		out.Reactors = append(out.Reactors, s.Media.Reactors...)
		out.Timers = append(out.Timers, s.Media.Timers...)
		out.Run = append(out.Run, s.Media.Run...)
	}
	return out
}

// Firing says for the timers of all slices, by topic and name, what they do.
func Firing(all []Slice) map[string]map[string]reactors.TimerHandler {
	out := map[string]map[string]reactors.TimerHandler{}
	add := func(topic, name string, fire reactors.TimerHandler) {
		if out[topic] == nil {
			out[topic] = map[string]reactors.TimerHandler{}
		}
		out[topic][name] = fire
	}
	for _, s := range all {
		for _, t := range s.Timers {
			add(t.Of.Topic(), t.Name, t.Fire)
		}
		for _, e := range s.Effects {
			add(e.Wakes())
		}
	}
	return out
}

// acting is the store as acts take it.
func (n Needs) acting() acts.Log { return acts.Log{Store: n.Store, MAC: n.Vault.MAC, Now: n.Now} }

func (n Needs) commands() rest.Commands { return rest.Commands{Log: n.acting()} }

// notify is how reactors tell those whom callers named.
func (n Needs) notify() acts.Notify { return acts.Notify{Store: n.Store, SealURL: n.sealURL} }

// links makes the signed addresses of files.
func (n Needs) links() rest.FileLinks {
	return rest.FileLinks{MAC: n.Vault.MAC, Base: n.URL, Now: n.Now}
}

// KeyHash is how the secret of an API key is stored.
func KeyHash(v *vault.Vault) tokens.KeyHasher {
	return func(secret string) []byte { return v.MAC("api-key", secret) }
}

// operations declares what a file of operations has, with what they need.
func operations[N any](declare func(*rest.API, N), needs N) func(*rest.API) {
	return func(api *rest.API) { declare(api, needs) }
}
