package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/handlers/rest/origins"
)

// ServeCmd runs a node until it is told to stop.
type ServeCmd struct {
	Data             string   `help:"Folder of this node: its id, the master key, and the embedded parts." default:".data" placeholder:"DIR"`
	Listen           string   `help:"Address of the API and of health; of health alone on a node without the role api." default:"127.0.0.1:8080" placeholder:"ADDR"`
	SMTPListen       string   `name:"smtp-listen" help:"Address where mail comes in by SMTP, such as 0.0.0.0:25, on a node with the role api. None does when empty." placeholder:"ADDR"`
	SMTPCert         string   `name:"smtp-cert" help:"Certificate, PEM, by which mail comes in in private (STARTTLS)." placeholder:"FILE"`
	SMTPKey          string   `name:"smtp-key" help:"Key of that certificate, PEM." placeholder:"FILE"`
	RTCUDP           string   `name:"rtc-udp" help:"UDP address where pages call (WebRTC), such as 0.0.0.0:50000, on a node with the role api; one port for all of them. None do when empty; with --dev a free port of this host." placeholder:"ADDR"`
	RTCPublicAddress []string `name:"rtc-public-address" help:"IP addresses by which pages reach --rtc-udp, where they are not those of this host." placeholder:"LIST"`
	SIPFlags
	PublicURL        string        `help:"How callers reach the API; made from --listen when empty." placeholder:"URL"`
	DrainDelay       time.Duration `help:"How long /readyz says no at the end before connections are refused; longer than a load balancer's interval." default:"1s"`
	DatabaseURL      string        `help:"Postgres. Empty: a private one from the machine's own binaries." placeholder:"URL"`
	BlobURL          string        `name:"blob-url" help:"Where files are kept: file:///folder, or s3://bucket?region=REGION. All nodes need the same; a folder under --data when empty." placeholder:"URL"`
	Keyset           string        `help:"Master key file; keyset.json under --data when empty. Losing it loses every sealed secret." placeholder:"FILE"`
	ReplaceKeyset    bool          `help:"The keyset of the log is lost for good, with every copy: go on with that of --keyset, once. What the lost one has sealed stays shut: secrets, credentials and API keys have to be given again, and nodes with the old file are refused."`
	Roles            []node.Role   `help:"Parts of the work this node does: api, projector, reactor, media. All when empty." placeholder:"LIST"`
	Dev              bool          `help:"Apply the example workspace, deploy its agents, play the hosts that they ask and the providers of its channels, write dev.env, show each event as it lands, let callers' URLs be on this host."`
	DevExposed       bool          `help:"With --dev: let other machines reach the development workspace, though its secrets are public. For a container, whose published ports decide who does."`
	SimSpeed         int           `help:"How many times faster than life the simulated carrier's calls go, a whole number up to 1000." default:"1" placeholder:"N"`
	CallDrain        time.Duration `help:"How long calls go on that this node has when it ends; then other nodes go on with them, or they are hung up." default:"30s" placeholder:"DURATION"`
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

// drainTimeout bounds a shutdown after --drain-delay and --call-drain; a second signal ends it at once.
const drainTimeout = 40 * time.Second

// startTimeout bounds what --dev prepares.
const startTimeout = 3 * time.Minute

// Run serves until SIGINT or SIGTERM, then drains.
func (c *ServeCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	cfg, err := c.config()
	if err == nil {
		err = cfg.Check()
	}
	if err != nil {
		return exit.Wrongf("%s", err) // the same command will not work later
	}
	var dev *developer
	if c.Dev {
		dev = newDeveloper(os.Stdout)
		cfg.Seen, cfg.Prepared = dev.seen, dev.welcomed.Load
		if err := c.play(dev, &cfg); err != nil {
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
		drain, cancel := context.WithTimeout(context.Background(), c.DrainDelay+c.CallDrain+drainTimeout)
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
		cfg.Logger.Info("serving", "url", n.URL(), "kafka", n.Brokers(), "node", n.ID(), "mail", n.MailAddress())
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
	mail, err6 := c.mail()
	trunks, err7 := c.sip(c.Dev)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, c.checkDev(), c.checkCopies(), c.checkSessions(),
		c.checkCalls(), c.checkLimits(), c.checkURL()); err != nil {
		return node.Config{}, err
	}
	level := c.LogLevel
	if c.Dev && level == slog.LevelInfo {
		level = slog.LevelWarn // the events tell the story
	}
	return node.Config{Data: c.Data, Listen: c.Listen, PublicURL: strings.TrimRight(c.PublicURL, "/"), DrainDelay: c.DrainDelay,
		SMTPListen: c.SMTPListen, SMTPTLS: mail, RTCListen: c.pages(), RTCPublic: c.RTCPublicAddress,
		KafkaListen: c.KafkaListen,
		KafkaAccess: access, KafkaReserve: c.DiskReserve << 20, KafkaBrokers: c.KafkaBrokers, KafkaTLS: tlsConfig, KafkaSASL: mechanism,
		DatabaseURL: c.DatabaseURL, BlobURL: c.BlobURL, Keyset: c.Keyset, ReplaceKeyset: c.ReplaceKeyset, Roles: c.Roles, Dev: c.Dev,
		SimSpeed: c.SimSpeed, CallLease: c.CallLease, CallDrain: c.CallDrain, AcceptedTopics: c.AcceptedTopics, AcceptedOpen: c.AcceptedOpen,
		DeploymentDrain: c.DeploymentDrain, ConcurrentSessions: c.Sessions, Turns: c.Turns, WaitingMessages: c.WaitingMessages,
		SandboxOff:       c.Sandbox == "off",
		CampaignLines:    c.CampaignLines,
		CampaignMessages: c.CampaignMessages, KeyLimit: c.KeyLimit, Rate: c.Rate, CORSOrigins: c.CORSOrigins, ReactorFrom: from,
		Providers: providers, SIP: trunks, MediaCalls: c.MediaCalls,
		TraceEndpoint: c.TraceEndpoint, TraceShare: c.TraceShare, TraceAgents: c.TraceAgents,
		Logger: slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))}, nil
}

// pages is where pages call. In development that costs nobody a setting.
func (c *ServeCmd) pages() string {
	if c.RTCUDP == "" && c.Dev {
		return "127.0.0.1:0"
	}
	return c.RTCUDP
}

// mail is the certificate of the door of mail.
func (c *ServeCmd) mail() (*tls.Config, error) {
	if c.SMTPCert == "" && c.SMTPKey == "" {
		return nil, nil
	}
	if c.SMTPListen == "" || c.SMTPCert == "" || c.SMTPKey == "" {
		return nil, errors.New("--smtp-cert and --smtp-key go together, and with --smtp-listen")
	}
	pair, err := tls.LoadX509KeyPair(c.SMTPCert, c.SMTPKey)
	if err != nil {
		return nil, fmt.Errorf("--smtp-cert, --smtp-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// play puts what is outside of Parley on this host.
func (c *ServeCmd) play(dev *developer, cfg *node.Config) (err error) {
	if cfg.Hosts, err = dev.play(); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Data, 0o755); err != nil {
		return fmt.Errorf("making the folder of --data: %w", err)
	}
	if dev.recorder, cfg.Providers.Channels, err = dev.record(filepath.Join(c.Data, "dev-recorder"), cfg.Providers.Channels); err != nil {
		return err
	}
	if cfg.Providers.Mail, err = dev.recordMail(); err != nil || cfg.SMTPListen != "" {
		return err
	}
	door, err := listenAgain(filepath.Join(c.Data, "dev-mail"))
	if err != nil {
		return fmt.Errorf("finding an address for mail to come in: %w", err)
	}
	cfg.SMTPDoor = door // open from now on: until the node has started, somebody else could take the address
	return nil
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

// checkLimits refuses what would be read as if nobody had said it: whoever says 0 means none, and
// would get the default.
func (c *ServeCmd) checkLimits() error {
	for _, limit := range []struct {
		flag string
		said int64
	}{{"rate", int64(c.Rate)}, {"key-limit", int64(c.KeyLimit)}, {"campaign-lines", int64(c.CampaignLines)},
		{"campaign-messages", int64(c.CampaignMessages)}, {"disk-reserve", c.DiskReserve}, {"sim-speed", int64(c.SimSpeed)}} {
		if limit.said < 1 {
			return fmt.Errorf("--%s %d: must be at least 1", limit.flag, limit.said)
		}
	}
	switch {
	case c.CallLease < time.Second || c.CallLease > time.Hour:
		return fmt.Errorf("--call-lease %s: must be at least 1s, and at most 1h", c.CallLease)
	case c.DrainDelay < 0 || c.DrainDelay > time.Hour:
		return fmt.Errorf("--drain-delay %s: must be at least 0s, and at most 1h", c.DrainDelay)
	case len(c.RTCPublicAddress) > 0 && c.pages() == "":
		return errors.New("--rtc-public-address goes with --rtc-udp")
	}
	return nil
}

// checkURL refuses an address that no caller can use: links to files and addresses of webhooks
// begin with it.
func (c *ServeCmd) checkURL() error {
	if c.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return fmt.Errorf("--public-url %s: wanted is http:// or https://, a host, and the path that callers see, if there is one", c.PublicURL)
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
