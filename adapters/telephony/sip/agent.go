// Package sip is the carrier of SIP trunks: it dials over them, follows the dialogs of its legs, carries
// their sound by RTP, asks the peers whether they are there, and registers with those that want that.
//
// One user agent serves all trunks of a node. The package owns what goes over the wire: messages, their
// sessions, sockets and keys. Of the library it uses transports and transactions; dialogs are its own,
// so that another node can speak in one. It judges nothing: what peers send becomes facts. It stores
// nothing, and never connects to an address that the node refuses.
package sip

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/emiago/sipgo"
	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/adapters/telephony/legs"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// Trunk is a trunk as it is dialled over.
type Trunk struct {
	TenantID, Name string
	Address        string
	Transport      trunks.Transport
	Username       string
	Password       string
	trunks.Settings
	Unreachable string // why it does not answer; empty: it does
}

// Number is one that may be called over a trunk, as its account has it.
type Number struct{ TenantID, Number string }

// Config is what an agent is made of.
type Config struct {
	Listen      string           // address of UDP and TCP; TLS is taken one port above it, with a certificate
	Public      string           // address at which peers reach this node; empty: that of Listen
	Certificate *tls.Certificate // nil: nobody connects to us by TLS
	RTPFirst    int              // ports of the sound
	RTPLast     int
	// Allow judges addresses that peers and trunks name.
	Allow func(netip.Addr) bool
	// Trunk is a tenant's trunk, its password opened. An error is told to who reads the log.
	Trunk func(ctx context.Context, tenant, name string) (Trunk, error)
	// Sound are the options of a call's line, but for its law; nil: nothing is said, and words are counted.
	Sound func(calls.LegRequest) voice.Options
	Pacer *voice.Pacer
	// Trunks are all that there are; nil: no calls come in.
	Trunks func(ctx context.Context) ([]Trunk, error)
	// Numbered says which of several numbers somebody in its account takes the calls to; -1: none. It is asked where
	// several trunks, of several accounts perhaps, have the same peer.
	Numbered func(ctx context.Context, of []Number) int
	// Node is the name of this node. Our tags begin with a mark of it, by which other nodes know whose dialog one is.
	Node string
	// Nodes are those that carry calls; nil: there is no other.
	Nodes func(ctx context.Context) ([]Neighbour, error)
	// Together counts the calls of trunks with those of other nodes; nil: this node counts its own.
	Together Together
	// Gate is an error while it is not known yet which trunks there are; nil: it always is.
	Gate  func() error
	Log   *slog.Logger
	Quiet time.Duration // a peer that sends no sound for so long is asked whether it is there; 0: 20 s
}

// Agent is the user agent of one node. It is safe for concurrent use.
type Agent struct {
	cfg     Config
	host    string // that peers are told
	port    int
	socket  sip.Addr // that we listen on
	ports   *portRange
	book    *legs.Book
	limits  limits
	sources sources
	visits  visits
	putDown underway
	invites invites

	working context.Context // of what outlives a call: an acknowledgement, a BYE
	stop    context.CancelFunc
	work    sync.WaitGroup

	mu       sync.Mutex
	stacks   map[string]*stack   // by what their TLS believes
	dialogs  map[string]*Leg     // by Call-ID and our tag
	ringing  map[string]*waiting // INVITEs that nobody has answered for good, the same way
	found    map[string]ended    // dialogs of other nodes that were looked up, by the leg's id
	invited  func(*sip.Request, sip.ServerTransaction)
	refuses  func() bool               // whether the node takes no new calls; nil: it does
	silent   func(tenant, name string) // is told of a trunk that has said nothing to a call; nil: nobody is
	closing  bool                      // no calls come in any more
	closed   bool                      // nothing is sent any more
	closures []io.Closer               // sockets

	registrations map[string]*registration // at the registrars of trunks
}

// stack is the library's layers, with what they believe of TLS peers.
type stack struct {
	ua     *sipgo.UserAgent
	client *sipgo.Client
	used   time.Time // that a trunk was last spoken to by it
}

const stackFor = time.Hour // without a request or a call, and its connections are closed

// Open listens. An error names the address that cannot be listened on.
func Open(cfg Config) (*Agent, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	cfg.Quiet = cmp.Or(cfg.Quiet, aliveEvery)
	if cfg.Pacer == nil {
		cfg.Pacer = voice.NewPacer(voice.PacerOptions{})
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("the address of SIP %q: %w", cfg.Listen, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("the port of SIP %q: %w", port, err)
	}
	a := &Agent{cfg: cfg, host: cfg.Public, port: number, book: legs.NewBook(), stacks: map[string]*stack{}, dialogs: map[string]*Leg{},
		ringing: map[string]*waiting{}, invites: invites{here: map[string]cancellable{}, waiting: map[string]chan cancellable{}},
		registrations: map[string]*registration{}, found: map[string]ended{}, ports: newPortRange(host, cfg.RTPFirst, cfg.RTPLast)}
	a.sources.recent, a.sources.places.found = map[netip.Addr][]time.Time{}, map[string]whereabouts{}
	a.limits.began = map[string][]time.Time{}
	a.limits.running = map[string]int{}
	a.limits.together, a.limits.log, a.limits.later = cfg.Together, cfg.Log, a.later
	a.working, a.stop = context.WithCancel(context.Background())
	if a.host == "" {
		a.host = host
	}
	if ip, err := netip.ParseAddr(a.host); err != nil || ip.IsUnspecified() {
		a.stop()
		return nil, fmt.Errorf("peers are to be told an address at which they reach this node, and %q is none", a.host)
	}
	if err := a.listen(host); err != nil {
		a.stop()
		a.shut()
		return nil, err
	}
	if cfg.Together != nil {
		go a.limits.renew(a.working)
	}
	return a, nil
}

func (a *Agent) shut() {
	for _, c := range a.closures {
		_ = c.Close()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.stacks {
		_ = s.ua.Close()
	}
}

// Serves says that all calls of the node go over its trunks through this agent from now on.
func (a *Agent) Serves(node string, now func() time.Time) *Agent {
	a.book.Serves(node, now)
	return a
}

// Port is the one that is listened on.
func (a *Agent) Port() int { return a.port }

// listen takes the sockets, all or none.
func (a *Agent) listen(host string) error {
	udp, err := net.ListenPacket("udp", net.JoinHostPort(host, strconv.Itoa(a.port)))
	if err != nil {
		return fmt.Errorf("listening for SIP: %w", err)
	}
	a.closures = append(a.closures, udp)
	a.port = udp.LocalAddr().(*net.UDPAddr).Port
	at := net.JoinHostPort(host, strconv.Itoa(a.port))
	tcp, err := net.Listen("tcp", at)
	if err != nil {
		return fmt.Errorf("listening for SIP: %w", err)
	}
	a.closures = append(a.closures, tcp)
	own, server, err := a.newStack(nil)
	if err != nil {
		return err
	}
	a.stacks[""] = own
	a.socket = sip.Addr{IP: udp.LocalAddr().(*net.UDPAddr).IP, Port: a.port}
	datagrams := a.datagrams(udp, mostSources)
	a.serve("UDP", func() error { return datagrams.served(server.ServeUDP) })
	a.serve("TCP", func() error { return server.ServeTCP(door{tcp, a}) })
	for _, err := own.ua.TransportLayer().GetConnection("udp", a.socket.String()); err != nil; {
		time.Sleep(time.Millisecond) // until requests can be sent from it
		_, err = own.ua.TransportLayer().GetConnection("udp", a.socket.String())
	}
	if a.cfg.Certificate == nil {
		return nil
	}
	secure, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(a.port+1)))
	if err != nil {
		return fmt.Errorf("listening for SIP over TLS: %w", err)
	}
	a.closures = append(a.closures, secure)
	listener := tls.NewListener(secure, &tls.Config{Certificates: []tls.Certificate{*a.cfg.Certificate}, MinVersion: tls.VersionTLS12})
	a.serve("TLS", func() error { return server.ServeTLS(door{listener, a}) })
	return nil
}

// quiet keeps what peers send out of the log: the library writes whole messages. Some of it knows only the
// logger that all of it falls back to. An answer goes the way that its request came, however long the proxies have made it: the
// library would send no datagram that is longer than an Ethernet frame.
var quiet = sync.OnceValue(func() *slog.Logger {
	sip.UDPMTUSize = mostDatagram + 200 // which it leaves for what it does not count
	nobody := slog.New(slog.DiscardHandler)
	sip.SetDefaultLogger(nobody)
	return nobody
})

func (a *Agent) newStack(believes *tls.Config) (*stack, *sipgo.Server, error) {
	options := []sipgo.UserAgentOption{sipgo.WithUserAgent("parley"), sipgo.WithUserAgentHostname(a.host),
		sipgo.WithUserAgentTransportLayerOptions(sip.WithTransportLayerLogger(quiet())),
		sipgo.WithUserAgentTransactionLayerOptions(sip.WithTransactionLayerLogger(quiet()), sip.WithTransactionLayerTerminateOnConnClose(),
			sip.WithTransactionLayerUnhandledResponseHandler(a.unawaited))}
	if believes != nil {
		options = append(options, sipgo.WithUserAgenTLSConfig(believes))
	}
	ua, err := sipgo.NewUA(options...)
	if err != nil {
		return nil, nil, err
	}
	server, err := sipgo.NewServer(ua, sipgo.WithServerLogger(quiet()))
	if err != nil {
		return nil, nil, err
	}
	a.handle(server)
	client, err := sipgo.NewClient(ua, sipgo.WithClientLogger(quiet()), sipgo.WithClientHostname(a.host), sipgo.WithClientNAT())
	if err != nil {
		return nil, nil, err
	}
	return &stack{ua: ua, client: client, used: time.Now()}, server, nil
}

// tidy closes the stacks of trunks that are no more, or that believe something else by now. The caller holds the lock.
func (a *Agent) tidy(now time.Time) {
	busy := map[*sipgo.Client]bool{a.stacks[""].client: true}
	for _, l := range a.dialogs {
		busy[l.dialog.by.Client] = true
	}
	for key, s := range a.stacks {
		if !busy[s.client] && now.Sub(s.used) >= stackFor {
			_ = s.ua.Close()
			delete(a.stacks, key)
		}
	}
}

// sender sends requests over one transport.
type sender struct {
	*sipgo.Client
	from *sip.Addr // the socket of datagrams; nil: a connection
	long bool      // it sends long requests by that socket, too
}

// sender is what requests of a trunk are sent by over a transport, which is that of the dialog where there is one: connections
// of TLS are shared only by trunks that believe the same of the same name.
func (a *Agent) sender(t Trunk, over trunks.Transport) (sender, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return sender{}, errClosing
	}
	switch over {
	case trunks.TCP:
		return sender{Client: a.stacks[""].client}, nil
	case trunks.TLS:
	default:
		return sender{Client: a.stacks[""].client, from: &a.socket}, nil
	}
	name, _ := hostPort(t.hop(), over)
	key := name + "\n" + t.CA
	if s := a.stacks[key]; s != nil {
		s.used = time.Now()
		return sender{Client: s.client}, nil
	}
	a.tidy(time.Now())
	believes := &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		believes.RootCAs = x509.NewCertPool()
		believes.RootCAs.AppendCertsFromPEM([]byte(t.CA))
	}
	s, _, err := a.newStack(believes)
	if err != nil {
		return sender{}, err
	}
	a.stacks[key] = s
	return sender{Client: s.client}, nil
}

// back sends over the connection of TLS by which a peer connected to us from somewhere; nil: there is none.
func (a *Agent) back(from netip.AddrPort) *sender {
	a.mu.Lock()
	own := a.stacks[""]
	a.mu.Unlock()
	conn, err := own.ua.TransportLayer().GetConnection("tls", from.String())
	if err != nil || conn == nil {
		return nil
	}
	_, _ = conn.TryClose() // it was counted by the look
	return &sender{Client: own.client}
}

var errClosing = errors.New("this node is shutting down")

// later does what outlives a call. Close waits for it.
func (a *Agent) later(do func(context.Context)) {
	a.work.Go(func() {
		defer a.survive(nil)
		do(a.working)
	})
}

// survive is deferred by whoever serves a peer: a defect that the peer has found ends no other call of the node. then
// is done behind it.
func (a *Agent) survive(then func()) {
	p := recover()
	if p == nil {
		return
	}
	a.cfg.Log.Error("serving a peer of SIP met a defect of the server", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if then != nil {
		then()
	}
}

// ready reports whether calls may come in.
func (a *Agent) ready() bool {
	a.mu.Lock()
	closing, refuses := a.closing, a.refuses
	a.mu.Unlock()
	return !closing && (refuses == nil || !refuses()) && (a.cfg.Gate == nil || a.cfg.Gate() == nil)
}

// Close takes no more calls, waits until what was begun is done, at most until ctx ends, and closes the sockets. Legs are hung
// up by their dialer before.
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closing = true
	a.mu.Unlock()
	done := make(chan struct{})
	go func() {
		a.work.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = fmt.Errorf("peers were not told everything in time: %w", ctx.Err())
	}
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.stop()
	a.shut()
	return err
}
