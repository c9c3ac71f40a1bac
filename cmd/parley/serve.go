package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/handlers/rest/origins"
)

// ServeCmd runs a node until it is told to stop.
type ServeCmd struct {
	Data             string        `help:"Folder of this node: its id, the master key, and the embedded parts." default:".data" placeholder:"DIR"`
	Listen           string        `help:"Address of the API and of health; of health alone on a node without the role api." default:"127.0.0.1:8080" placeholder:"ADDR"`
	PublicURL        string        `help:"How callers reach the API; made from --listen when empty." placeholder:"URL"`
	DrainDelay       time.Duration `help:"How long /readyz says no at the end before connections are refused; longer than a load balancer's interval." default:"1s"`
	DatabaseURL      string        `help:"Postgres. Empty: a private one from the machine's own binaries." placeholder:"URL"`
	BlobURL          string        `name:"blob-url" help:"Where files are kept: file:///folder, or s3://bucket?region=REGION. All nodes need the same; a folder under --data when empty." placeholder:"URL"`
	Keyset           string        `help:"Master key file; keyset.json under --data when empty. Losing it loses every sealed secret." placeholder:"FILE"`
	ReplaceKeyset    bool          `help:"The keyset of the log is lost for good: go on with that of --keyset."`
	Roles            []node.Role   `help:"Parts of the work this node does: api, projector, reactor. All when empty." placeholder:"LIST"`
	Dev              bool          `help:"Apply the example workspace, deploy its agents and play the hosts that they ask, write dev.env, show each event as it lands, let callers' URLs be on this host."`
	DevExposed       bool          `help:"With --dev: let other machines reach the development workspace, though its secrets are public. For a container, whose published ports decide who does."`
	SimSpeed         float64       `help:"How many times faster than life the simulated carrier's calls go." default:"1" placeholder:"N"`
	CallLease        time.Duration `help:"How long a call outlives the node that carries it." default:"15s"`
	DeploymentDrain  time.Duration `help:"How long a retired deployment still serves the sessions that it has." default:"30s" placeholder:"DURATION"`
	Sessions         int           `name:"concurrent-sessions" help:"Sessions of one tenant in which something was said in the last 15 minutes; with more none begins." default:"1000" placeholder:"N"`
	Turns            int           `help:"Turns for which this node makes calls of models and tools at a time; with more it takes no message." default:"500" placeholder:"N"`
	WaitingMessages  int           `help:"Messages that may wait on this node, of all sessions, for the turns before them; at most 10 wait for one session." default:"2000" placeholder:"N"`
	Sandbox          string        `help:"Whether the code of agents is let to its memory: on or off." enum:"on,off" default:"on" placeholder:"on|off"`
	CampaignLines    int           `help:"Calls of campaigns at once, of one tenant, over all nodes: the same on each of them." default:"10" placeholder:"N"`
	CampaignMessages int           `help:"Messages of campaigns at once, of one tenant, over all nodes: the same on each of them." default:"50" placeholder:"N"`
	KeyLimit         int           `help:"API keys that one scope may have." default:"50" placeholder:"N"`
	Rate             int           `help:"Requests per second of one tenant, over all nodes." default:"1000" placeholder:"N"`
	CORSOrigins      []string      `name:"cors-origins" help:"Origins of pages that may call the API from a browser: https://app.example.com, https://*.example.com, or * for all. None when empty." placeholder:"LIST"`
	ReactorFrom      []string      `help:"Where a reactor goes on whose consumer group has lost its place: NAME=end, NAME=OFFSET or NAME=TOPIC/PARTITION:OFFSET. Once; it says nothing about a group that stands well." placeholder:"NAME=WHERE"`
	TraceEndpoint    string        `help:"OpenTelemetry collector that takes traces by OTLP over HTTP, such as http://127.0.0.1:4318. Default: what OTEL_EXPORTER_OTLP_ENDPOINT says, else none." placeholder:"URL"`
	TraceShare       *float64      `help:"Share of the traces that begin here which is sent, 0 to 1; what a caller decided about its own is kept. Default: what OTEL_TRACES_SAMPLER says, else 1." placeholder:"SHARE"`
	TraceAgents      bool          `help:"Send spans of turns, models and tools, too, as OpenTelemetry's conventions for generative AI 1.40 have them; these are not stable yet."`
	LogLevel         slog.Level    `help:"debug, info, warn or error." default:"info" placeholder:"LEVEL"`
	ProviderFlags
	connect.KafkaFlags
	connect.BrokerFlags

	AcceptedTopics bool          `help:"Copy accepted events to parley.<category>.accepted, for consumers that do not apply the accept rule."`
	AcceptedOpen   time.Duration `help:"With --accepted-topics: what is personal stands in the copies opened, and they are kept for so long after the event, 1h to 8760h, also of who is erased. Default: it stays sealed, and they are kept." placeholder:"DURATION"`
}

// drainTimeout bounds a shutdown after --drain-delay; a second signal ends it at once.
const drainTimeout = 40 * time.Second

// startTimeout bounds what --dev prepares.
const startTimeout = 3 * time.Minute

// Run serves until SIGINT or SIGTERM, then drains.
func (c *ServeCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	cfg, err := c.config()
	if err != nil {
		return err
	}
	var dev *developer
	if c.Dev {
		dev = newDeveloper(os.Stdout)
		cfg.Seen = dev.seen
		if cfg.Hosts, err = dev.play(); err != nil {
			return err
		}
	}
	n, err := node.Start(ctx, cfg)
	if err != nil && ctx.Err() != nil {
		cfg.Logger.Info("stopped while starting", "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		stop() // a second signal kills
		drain, cancel := context.WithTimeout(context.Background(), c.DrainDelay+drainTimeout)
		defer cancel()
		cfg.Logger.Info("draining")
		n.Close(drain)
	}()
	if dev != nil {
		begin, cancel := context.WithTimeout(ctx, startTimeout)
		defer cancel()
		if err := dev.welcome(begin, n, c.Data); err != nil {
			return err
		}
	} else {
		cfg.Logger.Info("serving", "url", n.URL(), "kafka", n.Brokers(), "node", n.ID())
	}
	<-ctx.Done()
	return nil
}

func (c *ServeCmd) config() (node.Config, error) {
	tlsConfig, mechanism, err1 := c.Login()
	access, err2 := c.Access(c.KafkaFlags)
	from, err3 := reactorFrom(c.ReactorFrom)
	err4 := origins.Check(c.CORSOrigins)
	if err4 != nil {
		err4 = fmt.Errorf("--cors-origins: %w", err4)
	}
	providers, err5 := c.providers()
	if err := errors.Join(err1, err2, err3, err4, err5, c.checkDev(), c.checkCopies(), c.checkSessions()); err != nil {
		return node.Config{}, err
	}
	level := c.LogLevel
	if c.Dev && level == slog.LevelInfo {
		level = slog.LevelWarn // the events tell the story
	}
	return node.Config{Data: c.Data, Listen: c.Listen, PublicURL: strings.TrimRight(c.PublicURL, "/"), DrainDelay: c.DrainDelay,
		KafkaListen: c.KafkaListen,
		KafkaAccess: access, KafkaReserve: c.DiskReserve << 20, KafkaBrokers: c.KafkaBrokers, KafkaTLS: tlsConfig, KafkaSASL: mechanism,
		DatabaseURL: c.DatabaseURL, BlobURL: c.BlobURL, Keyset: c.Keyset, ReplaceKeyset: c.ReplaceKeyset, Roles: c.Roles, Dev: c.Dev,
		SimSpeed: c.SimSpeed, CallLease: c.CallLease, AcceptedTopics: c.AcceptedTopics, AcceptedOpen: c.AcceptedOpen,
		DeploymentDrain: c.DeploymentDrain, ConcurrentSessions: c.Sessions, Turns: c.Turns, WaitingMessages: c.WaitingMessages,
		SandboxOff:       c.Sandbox == "off",
		CampaignLines:    c.CampaignLines,
		CampaignMessages: c.CampaignMessages, KeyLimit: c.KeyLimit, Rate: c.Rate, CORSOrigins: c.CORSOrigins, ReactorFrom: from,
		Providers:     providers,
		TraceEndpoint: c.TraceEndpoint, TraceShare: c.TraceShare, TraceAgents: c.TraceAgents,
		Logger: slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))}, nil
}

// checkCopies keeps what is personal from standing opened for ever.
func (c *ServeCmd) checkCopies() error {
	switch {
	case c.AcceptedOpen == 0:
	case !c.AcceptedTopics:
		return errors.New("--accepted-open is about the copies of --accepted-topics: say that, too")
	case c.AcceptedOpen < time.Hour || c.AcceptedOpen > 365*24*time.Hour:
		return fmt.Errorf("--accepted-open %s: must be 1h to 8760h; who is erased is in the copies for so long", c.AcceptedOpen)
	}
	return nil
}

// checkSessions refuses what would keep sessions from ending, or from beginning.
func (c *ServeCmd) checkSessions() error {
	switch {
	case c.DeploymentDrain < time.Second || c.DeploymentDrain > 7*24*time.Hour:
		return fmt.Errorf("--deployment-drain %s: must be 1s to 168h", c.DeploymentDrain)
	case c.Sessions < 1 || c.Sessions > 1_000_000:
		return fmt.Errorf("--concurrent-sessions %d: must be 1 to 1000000", c.Sessions)
	case c.Turns < 1 || c.Turns > 1_000_000:
		return fmt.Errorf("--turns %d: must be 1 to 1000000", c.Turns)
	case c.WaitingMessages < 1 || c.WaitingMessages > 1_000_000:
		return fmt.Errorf("--waiting-messages %d: must be 1 to 1000000", c.WaitingMessages)
	}
	return nil
}

// checkDev keeps the development workspace on this machine: its secrets are in the
// source, so whoever reaches the API would be let in.
func (c *ServeCmd) checkDev() error {
	if !c.Dev || c.DevExposed {
		return nil
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil // listening will say what is wrong
	}
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--dev with --listen %s: the secrets of the development workspace are public, so it is served on loopback only; leave "+
		"--dev out, or listen on 127.0.0.1", c.Listen)
}
