package load

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/examples/platforms"
)

// Providers are those of channels. They live through all faults, have troubles of their own, and
// send what people write until it is taken.
type Providers struct {
	*platforms.Recorder
	URL    string
	server *http.Server

	mu      sync.Mutex
	writers []*Writer
}

// Writer is a person who writes to an agent, who says what it heard.
type Writer struct {
	Kind   string // of the channel
	To     string // where the person is answered
	Thread string // as the connection calls the conversation
	Sent   []string

	person int
	open   bool // the newest has not been taken for certain
}

const (
	writersSecret = "chaos-secret" // of each connection
	heard         = "chaos-heard"  // the agent
)

// TakeReplies starts the providers.
func TakeReplies() (*Providers, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening in place of the providers of channels: %w", err)
	}
	p := &Providers{URL: "http://" + l.Addr().String(), Recorder: &platforms.Recorder{Now: time.Now}}
	p.server = &http.Server{Handler: p.Recorder, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// Close ends them.
func (p *Providers) Close() { _ = p.server.Close() }

// Env has the nodes ask them.
func (p *Providers) Env() (out []string) {
	for kind, s := range senders {
		out = append(out, s.base+"="+platforms.At(p.URL, kind))
	}
	return out
}

// Writers are all who wrote, with what they wrote.
func (p *Providers) Writers() (out []Writer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.writers {
		out = append(out, Writer{Kind: w.Kind, To: w.To, Thread: w.Thread, Sent: slices.Clone(w.Sent)})
	}
	return out
}

// Connection is by which one somebody wrote.
func (w Writer) Connection() string { return connectionOf(w.Kind) }

// Heard is what the agent says to a text.
func Heard(text string) string { return "Heard " + text + "." }

// writer is somebody new, who writes by a kind.
func (p *Providers) writer(id int, kind string) *Writer {
	p.mu.Lock()
	defer p.mu.Unlock()
	number := fmt.Sprintf("%04d", id)
	s := senders[kind]
	w := &Writer{Kind: kind, To: s.to + number, Thread: strings.ReplaceAll(s.thread, "%", number), person: id}
	p.writers = append(p.writers, w)
	return w
}

// mostUnanswered is how much somebody writes without an answer.
const mostUnanswered = 15

// writes has somebody write one thing after the other, often before there is an answer, while their
// provider has troubles.
func (c *client) writes(ctx context.Context, r *random, every time.Duration) {
	p := c.w.Providers
	kinds := Kinds()
	w := p.writer(c.id, kinds[r.IntN(len(kinds))])
	troubles := []platforms.Trouble{platforms.Busy, platforms.Down, platforms.Cuts, platforms.HangsUp, platforms.Revoked}
	if Once(w.Kind) { // what is in doubt is given up, and whoever waits for its answer would write no more
		troubles = []platforms.Trouble{platforms.Busy, platforms.Cuts, platforms.Revoked}
	}
	for n := 1; ctx.Err() == nil; n++ {
		for len(w.Sent)-len(p.Sent(w.Kind, w.To)) >= mostUnanswered && ctx.Err() == nil {
			pause(ctx, 100*time.Millisecond)
		}
		if r.IntN(4) == 0 {
			p.Fault(platforms.Fault{Kind: w.Kind, To: w.To, Does: troubles[r.IntN(len(troubles))], Times: 1 + r.IntN(2), Pause: r.IntN(2)})
		}
		p.say(w, fmt.Sprintf("%d-%d", c.id, n))
		c.post(ctx, w, r.IntN(2))
		if r.IntN(5) == 0 { // a provider that had no answer in time, and one that comes late, send again
			c.post(ctx, w, r.IntN(2))
		}
		pause(ctx, time.Duration(r.Int64N(int64(4*every))))
	}
}

func (p *Providers) say(w *Writer, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Sent, w.open = append(w.Sent, text), true
}

// post sends the newest of a person's messages until it is taken.
func (c *client) post(ctx context.Context, w *Writer, first int) {
	for n := first; ctx.Err() == nil; n++ {
		status := c.postOnce(ctx, w, c.w.Nodes[n%len(c.w.Nodes)])
		switch status {
		case http.StatusOK:
			c.w.Providers.mu.Lock()
			w.open = false
			c.w.Providers.mu.Unlock()
			return
		case 0, http.StatusServiceUnavailable, http.StatusTooManyRequests:
		default:
			c.w.History.Wrong(fmt.Sprintf("a provider of %s was answered with %d", w.Kind, status))
			return
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func (c *client) postOnce(ctx context.Context, w *Writer, node Node) int {
	req, err := w.request(node)
	if err != nil {
		return 0
	}
	res, err := c.http.Do(req.WithContext(ctx))
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// settleWriters ends the troubles, and has each message taken that is still open.
func (w *World) settleWriters(ctx context.Context) error {
	p := w.Providers
	p.Mend()
	c := w.client(9996, 15*time.Second)
	p.mu.Lock()
	var open []*Writer
	for _, who := range p.writers {
		if who.open {
			open = append(open, who)
		}
	}
	p.mu.Unlock()
	for i, who := range open {
		if c.post(ctx, who, i); ctx.Err() != nil {
			return fmt.Errorf("what %s wrote by %s is not taken: %w", who.To, who.Kind, ctx.Err())
		}
	}
	return nil
}

// connect makes the agent who hears, and the connections.
func (w *World) connect(ctx context.Context, c *client) error {
	manifest := func(kind, id string, spec map[string]any) map[string]any {
		spec["projectId"] = w.Bot
		return map[string]any{"kind": kind, "metadata": map[string]any{"id": id, "name": id, "tenant": w.Account}, "spec": spec}
	}
	apply := func(all ...any) error {
		return c.furnish(ctx, http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": all})
	}
	if err := apply(manifest("Agent", heard, map[string]any{"dslContent": "DSL: 1\nAGENT: " + heard +
		"\nFLOW: {START: a, STEPS: {a: {SAY: \"Heard {{ turn.text }}.\", END: true}}}\n"})); err != nil {
		return err
	}
	if err := c.furnish(ctx, http.MethodPost, "/api/projects/"+w.Bot+"/deployments", map[string]any{"environment": "production",
		"entryAgentName": heard, "agentVersionManifest": map[string]string{heard: "auto"}}); err != nil {
		return err
	}
	var all []any
	for _, kind := range Kinds() {
		s := senders[kind]
		all = append(all, manifest("ChannelConnection", connectionOf(kind), map[string]any{"channelType": kind, "externalIdentifier": s.external,
			"environment": "production", "credentials": s.credentials}))
	}
	return apply(all...)
}
