// Package node puts one Parley node together: it starts the parts in order, hands
// each what it needs, and stops them in reverse.
//
// It is the only place where adapters meet the interfaces they implement. It owns
// no rule and no state of its own.
package node

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/segmentio/kafka-go/sasl"

	"github.com/parley-platform/parley/adapters/blob"
	"github.com/parley-platform/parley/adapters/embedded"
	nodeslices "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Role is a part of the work that a node does.
type Role string

// The roles.
const (
	RoleAPI       Role = "api"
	RoleProjector Role = "projector"
	RoleReactor   Role = "reactor"
	RoleMedia     Role = "media"
)

// Roles lists all roles.
var Roles = []Role{RoleAPI, RoleProjector, RoleReactor, RoleMedia}

// Config is what a node is started with. The zero value of everything but Data is
// useful: an embedded broker, an embedded Postgres, all roles.
type Config struct {
	Data            string           // folder of this node: id, keyset, embedded parts
	Listen          string           // address of the API and of health; empty: 127.0.0.1:8080
	DrainDelay      time.Duration    // how long /readyz says no before connections are refused at the end
	PublicURL       string           // how callers reach the API; empty: http:// and Listen
	SMTPListen      string           // address where mail comes in; empty: none does
	SMTPDoor        net.Listener     // in place of SMTPListen: open already, and closed by the node that takes mail
	SMTPTLS         *tls.Config      // of that; nil: mail comes in the clear
	RTCListen       string           // UDP address where pages call; empty: they do not
	RTCPublic       []string         // addresses by which pages reach this host, if not its own
	KafkaListen     string           // address of the embedded broker; empty: a free loopback port
	KafkaAccess     *embedded.Access // who is let into the embedded broker; nil: a login that is generated
	KafkaReserve    int64            // free bytes of the disk below which the embedded broker appends nothing; 0: 64 MiB
	KafkaBrokers    []string         // empty: embedded
	KafkaTLS        *tls.Config
	KafkaSASL       sasl.Mechanism
	DatabaseURL     string            // empty: embedded
	BlobURL         string            // file:///folder or s3://bucket, the same for all nodes; empty: blobs under Data
	Keyset          string            // master key file; empty: keyset.json under Data
	ReplaceKeyset   bool              // the keyset that the log knows is lost for good: go on with the one at Keyset
	Roles           []Role            // empty: all
	Dev             bool              // callers' URLs may be on this host
	Hosts           map[string]string // with Dev: hosts that this machine plays for the tools of agents, and where
	Prepared        func() bool       // with Dev: whether the example workspace stands, before which nobody is sent here; nil: none is awaited
	SimSpeed        int               // how many times faster than life simulated calls go; 0: 1
	DeploymentDrain time.Duration     // how long a retired deployment still serves the sessions that it has; 0: 30 s
	// Sessions of one tenant in which something was said lately; 0: 1,000.
	ConcurrentSessions int
	Turns              int             // for which this node makes calls at a time; 0: 500
	WaitingMessages    int             // on this node, of all sessions; 0: 2,000
	SandboxOff         bool            // the code of agents is not let in
	CallDrain          time.Duration   // how long calls go on when this node ends; 0: they do not
	CallLease          time.Duration   // how long a call outlives the node that carries it; 0: 15 s
	ErasureCalm        time.Duration   // of the pause before an erasure is believed to be done; 0: 35 s
	RetentionGrace     time.Duration   // after which a rule of a project to keep things for so long begins to hold; 0: an hour
	CampaignLines      int             // calls of campaigns at once, of one tenant; 0: 10
	CampaignMessages   int             // messages of campaigns at once, of one tenant; 0: 50
	KeyLimit           int             // API keys of one scope; 0: 50
	Rate               int             // requests per second of one tenant; 0: 1,000
	CORSOrigins        []string        // of pages that may call the API from a browser; empty: none
	ReactorFrom        []reactors.From // where reactors go on whose consumer group has lost its place
	Logger             *slog.Logger

	// SIP is how this node calls over SIP trunks, with the role media; the zero value does not.
	SIP        nodeslices.SIP
	MediaCalls int // with sound, for each core of this node; 0: 250

	// Providers do what Parley does not do itself; local by default.
	Providers nodeslices.Providers

	TraceEndpoint string   // of an OpenTelemetry collector, OTLP over HTTP; empty: as OTEL_EXPORTER_OTLP_* say, else no traces
	TraceShare    *float64 // of the traces that begin here, 0 to 1; nil: as OTEL_TRACES_SAMPLER says, else all
	TraceAgents   bool     // spans of turns, models and tools, too

	// StreamHeartbeat is the time between signs of life of GET /api/v1/events/stream; 0: 15 s.
	StreamHeartbeat time.Duration
	// AcceptedTopics fills parley.<category>.accepted for consumers without the accept rule.
	AcceptedTopics bool
	AcceptedOpen   time.Duration // what is personal stands opened there, for so long after the event; 0: sealed
	// Seen is called with every accepted event that this node projects; may be nil.
	Seen func([]*eventstore.Record)
}

func (c Config) has(r Role) bool { return len(c.Roles) == 0 || slices.Contains(c.Roles, r) }

// shared are the settings that all nodes should have alike, by their flags: what one of them writes, or counts, is of all. One that
// answers nobody and acts on nothing has only files.
func (c Config) shared() map[string]string {
	files, _ := c.files() // else opening it has said what is wrong
	of := map[string]string{"--blob-url": files}
	if !c.has(RoleAPI) && !c.has(RoleReactor) {
		return of
	}
	of["--public-url"], of["--models"], of["--dev"] = c.PublicURL, c.Providers.ModelsHash, strconv.FormatBool(c.Dev)
	for flag, n := range map[string]int{"--campaign-lines": c.CampaignLines, "--campaign-messages": c.CampaignMessages, "--rate": c.Rate,
		"--concurrent-sessions": c.ConcurrentSessions, "--rooms": c.Providers.MostRooms, "--key-limit": c.KeyLimit} {
		of[flag] = strconv.Itoa(n)
	}
	return of
}

// files is where this node keeps files: where nobody says it, a folder of its own, which another node may know by its name.
func (c Config) files() (string, error) {
	if c.BlobURL != "" {
		return c.BlobURL, nil
	}
	return blob.FolderURL(filepath.Join(c.Data, "blobs"))
}

// filled has what was left out.
func (c Config) filled() Config {
	if c.SimSpeed == 0 {
		c.SimSpeed = 1
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:8080"
	}
	if c.Keyset == "" {
		c.Keyset = filepath.Join(c.Data, "keyset.json")
	}
	if c.CallLease == 0 {
		c.CallLease = 15 * time.Second
	}
	if c.CampaignLines == 0 {
		c.CampaignLines = 10
	}
	if c.CampaignMessages == 0 {
		c.CampaignMessages = 50
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.SIP = c.SIP.Filled()
	return c
}

// Check refuses what cannot work, before anything is started.
func (c Config) Check() error {
	c = c.filled()
	if c.Data == "" {
		return errors.New("a data folder is needed: --data DIR")
	}
	for i, r := range c.Roles {
		if !slices.Contains(Roles, r) {
			return fmt.Errorf("--roles: %q is not one of %v", r, Roles)
		}
		if slices.Contains(c.Roles[:i], r) {
			return fmt.Errorf("--roles: %s is there twice; was another one meant, of %v?", r, Roles)
		}
	}
	if c.SimSpeed < 1 || c.SimSpeed > 1000 {
		return fmt.Errorf("--sim-speed %d: must be 1 to 1000", c.SimSpeed)
	}
	for _, door := range []struct{ flag, at string }{{"listen", c.Listen}, {"smtp-listen", c.SMTPListen}, {"rtc-udp", c.RTCListen},
		{"kafka-listen", c.KafkaListen}} {
		if door.at == "" {
			continue // there is none
		}
		if err := CheckAddress(door.flag, door.at); err != nil {
			return err
		}
	}
	if _, err := pgx.ParseConfig(c.DatabaseURL); c.DatabaseURL != "" && err != nil {
		return fmt.Errorf("--database-url: %w", err) // it shows no password
	}
	if err := c.SIP.Check(); err != nil {
		return err
	}
	if err := c.Providers.Check(); err != nil {
		return err
	}
	if embedded := len(c.KafkaBrokers) == 0 || c.DatabaseURL == ""; embedded && len(c.Roles) > 0 && len(c.Roles) < len(Roles) {
		return errors.New("--roles needs --kafka-brokers and --database-url: the embedded parts serve one node that does everything")
	}
	return nil
}

// CheckAddress refuses what is no address: listening there, or connecting to it, would never work.
func CheckAddress(flag, at string) error {
	_, port, err := net.SplitHostPort(at)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("--%s %s: HOST:PORT is wanted, such as 127.0.0.1:8080", flag, at)
	}
	return nil
}

// nodeID is remembered in the data folder, so that a restarted node takes its own
// leases back at once.
func nodeID(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making the data folder: %w", err)
	}
	file := filepath.Join(dir, "node-id")
	data, err := os.ReadFile(file)
	if id := strings.TrimSpace(string(data)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("reading the node's id: %w", err)
	}
	id := "node-" + uuid.NewString()[:8]
	if err := os.WriteFile(file, []byte(id+"\n"), 0o644); err != nil {
		return "", fmt.Errorf("remembering the node's id: %w", err)
	}
	return id, nil
}
