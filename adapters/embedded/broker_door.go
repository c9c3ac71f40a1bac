package embedded

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// loginTimeout is how long a client may take until it is let in.
	loginTimeout = 10 * time.Second
	// mostStrangers is how many may be at the door at once; another sends the one
	// away that has stood there longest.
	mostStrangers = 256
	// firstFrame bounds what a stranger sends, mostFrame what anybody sends; less than
	// leastFrame, key, version and correlation, is no request.
	firstFrame, mostFrame, leastFrame = 64 << 10, 100 << 20, 8
)

// door is the listener that the broker behind it accepts from: it hands over whoever
// has logged in, and nobody else. The broker never sees a stranger's byte.
type door struct {
	net.Listener
	tls         *tls.Config // nil: plain
	credentials *credentials
	log         *slog.Logger

	admitted chan net.Conn
	closed   chan struct{}
	once     sync.Once
	versions *kmsg.ApiVersionsResponse // what the broker speaks; set before open

	mu        sync.Mutex
	strangers []net.Conn // oldest first
	warned    time.Time
}

func newDoor(l net.Listener, config *tls.Config, c *credentials, log *slog.Logger) *door {
	return &door{Listener: l, tls: config, credentials: c, log: log, admitted: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	select {
	case c := <-d.admitted:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. Who is at the door is sent away.
func (d *door) Close() error {
	err := d.Listener.Close()
	d.once.Do(func() { close(d.closed) })
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.strangers {
		_ = c.Close()
	}
	return err
}

// open lets clients come. A machine that has no descriptors left for a moment is no
// reason to accept nobody ever again.
func (d *door) open() {
	for {
		c, err := d.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			d.log.Warn("the embedded broker cannot accept a connection", "error", err)
			select {
			case <-d.closed:
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		d.arrived(c)
		go d.admit(c)
	}
}

// learn asks the broker behind the door, through a pipe, what versions of which
// requests it speaks. Clients are told so before they have logged in, less what is not
// taken here, plus the handshake of old clients, which the door itself answers.
func (d *door) learn() error {
	ours, theirs := net.Pipe()
	defer ours.Close()
	_ = ours.SetDeadline(time.Now().Add(loginTimeout))
	go d.handOver(theirs)
	request := kmsg.NewPtrApiVersionsRequest()
	request.Version, request.ClientSoftwareName, request.ClientSoftwareVersion = 3, "parley", "0"
	frame := kmsg.NewRequestFormatter().AppendRequest(nil, request, 0)
	if _, err := ours.Write(frame); err != nil {
		return err
	}
	answer, err := readFrame(ours, firstFrame)
	if err != nil {
		return err
	}
	d.versions = kmsg.NewPtrApiVersionsResponse()
	d.versions.Version = request.Version
	if err := d.versions.ReadFrom(answer[4:]); err != nil {
		return err
	}
	d.versions.ApiKeys = slices.DeleteFunc(d.versions.ApiKeys, func(k kmsg.ApiVersionsResponseApiKey) bool { return !taken(k.ApiKey) })
	for i, k := range d.versions.ApiKeys {
		switch kmsg.Key(k.ApiKey) {
		case kmsg.SASLHandshake:
			d.versions.ApiKeys[i].MinVersion = 0
		case kmsg.CreateTopics: // from 5 on kfake answers null where kafka-topics --create wants a list of settings
			d.versions.ApiKeys[i].MaxVersion = min(k.MaxVersion, 4)
		}
	}
	return nil
}

func (d *door) admit(c net.Conn) {
	conn := c
	if d.tls != nil {
		conn = tls.Server(c, d.tls)
	}
	_ = c.SetDeadline(time.Now().Add(loginTimeout))
	err := (&stranger{conn: conn, door: d}).logIn()
	d.gone(c)
	if err != nil {
		d.refused(c, err)
		_ = conn.Close()
		return
	}
	_ = c.SetDeadline(time.Time{})
	d.handOver(&guest{Conn: conn})
}

func (d *door) handOver(c net.Conn) {
	select {
	case d.admitted <- c:
	case <-d.closed:
		_ = c.Close()
	}
}

func (d *door) arrived(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.strangers) == mostStrangers {
		_ = d.strangers[0].Close()
		d.strangers = d.strangers[1:]
	}
	d.strangers = append(d.strangers, c)
}

func (d *door) gone(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, s := range d.strangers {
		if s == c {
			d.strangers = append(d.strangers[:i:i], d.strangers[i+1:]...)
			return
		}
	}
}

// refused says, once a minute, that somebody tried.
func (d *door) refused(c net.Conn, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !errors.Is(err, errLogin) || time.Since(d.warned) < time.Minute {
		d.log.Debug("not let in", "client", c.RemoteAddr().String(), "error", err)
		return
	}
	d.warned = time.Now()
	d.log.Warn("a login to the embedded broker was refused", "client", c.RemoteAddr().String(), "error", err)
}
