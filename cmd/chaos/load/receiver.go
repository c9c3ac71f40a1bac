package load

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/webhook"
)

// Receiver is the customer's server for notifications of calls and outcomes of
// transfers. It lives through all faults.
type Receiver struct {
	URL      string // of notifications
	Callback string // of outcomes
	server   *http.Server
	secret   []byte

	mu    sync.Mutex
	seen  map[string]*Delivery // by delivery id
	wrong []string
}

// Delivery is what came under one delivery id.
type Delivery struct {
	Call, Session string // which of them it is about
	Status        string
	Body          string
	Times         int
}

// Receive starts a receiver.
func Receive(secret string) (*Receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	base := "http://" + l.Addr().String()
	r := &Receiver{URL: base + "/notifications", Callback: base + "/transfers", secret: []byte(secret), seen: map[string]*Delivery{}}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = r.server.Serve(l) }()
	return r, nil
}

// Close ends the receiver.
func (r *Receiver) Close() { _ = r.server.Close() }

// ServeHTTP verifies and notes. One delivery id always has the same body.
func (r *Receiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
	if err != nil {
		return // the node died while it sent
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := req.Header.Get(webhook.DeliveryHeader)
	var n struct{ ConversationID, SessionID, Status string }
	if err := webhook.Verify(req.Header.Get(webhook.SignatureHeader), body, time.Now(), 5*time.Minute, r.secret); err != nil {
		r.wrong = append(r.wrong, "notification "+id+": "+err.Error())
	} else if err := json.Unmarshal(body, &n); err != nil || id == "" || n.Status == "" || n.ConversationID == "" && n.SessionID == "" {
		r.wrong = append(r.wrong, fmt.Sprintf("notification %q: %s", id, body))
	}
	d := r.seen[id]
	if d == nil {
		d = &Delivery{Call: n.ConversationID, Session: n.SessionID, Status: n.Status, Body: string(body)}
		r.seen[id] = d
	}
	d.Times++
	if d.Body != string(body) {
		r.wrong = append(r.wrong, fmt.Sprintf("delivery %s came with two bodies: %s and %s", id, d.Body, body))
	}
}

// Seen is what came so far, by delivery id, and what was wrong with it.
func (r *Receiver) Seen() (map[string]Delivery, []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]Delivery{}
	for id, d := range maps.All(r.seen) {
		out[id] = *d
	}
	return out, slices.Clone(r.wrong)
}
