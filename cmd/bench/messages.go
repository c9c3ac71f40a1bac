package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	given "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/examples/platforms"
)

// What is measured of channels, with the provider that serve --dev plays.
const (
	webhookFigure  = "webhook to its answer"
	replyFigure    = "webhook to delivered reply"
	throughFigure  = "messages through"
	throughClients = 64
	backlogFigure  = "messages of a backlog"
	hearingAgent   = "bench-hearing"
	backlogThreads = 1000
	eachWaits      = 40 // messages of one conversation, of those that may wait
	webhookPath    = "/api/v1/channels/slack/webhook/A0ACME:T0ACME"
)

// messageBench is a node whose Slack is the recorder.
type messageBench struct {
	*bench
	recorder *platforms.Recorder
	number   atomic.Int64 // of messages
	nodes    []string     // that take messages, in turn
	free     chan string  // conversations in which nobody waits for a reply

	mu    sync.Mutex
	waits map[string]chan struct{} // by whom a reply is waited for
}

// messages measures what comes by channels: a message until its provider is answered, while reactors
// rest, beside a hook; a message until its provider has the reply; how many go through, on one node and on two;
// and how fast so many are answered that have come meanwhile, in the order of each conversation. Its parts are
// its own.
func (c *Command) messages(dir string, out *report) error {
	if len(c.KafkaBrokers) > 0 || c.Backlog == 0 || !c.wants(webhookFigure, replyFigure, throughFigure, backlogFigure) {
		return nil
	}
	return c.part(dir, func(b *bench) error {
		out.heading("channels")
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("listening in place of Slack: %w", err)
		}
		m := &messageBench{bench: b, waits: map[string]chan struct{}{}}
		m.conversations("DR")
		m.recorder = &platforms.Recorder{Now: time.Now, Told: m.told}
		server := &http.Server{Handler: m.recorder, ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(l) }()
		defer func() { _ = server.Close() }()
		b.cfg.Providers = given.Providers{Channels: map[string]string{"slack": platforms.At("http://"+l.Addr().String(), "slack")}}
		b.cfg.Keyset, b.cfg.BlobURL = filepath.Join(dir, "keyset.json"), "file://"+filepath.Join(dir, "blobs")
		if err := m.again(true); err != nil {
			return err
		}
		if err := m.deploy(); err != nil {
			return err
		}
		f, err := timed(replyFigure, c.For, 1, m.answered, b.analysed)
		if err != nil {
			return err
		}
		out.add(f.aim("p50 under 30 ms, p95 under 100 ms", f.P50 < 30 && f.P95 < 100))
		if err := c.through(filepath.Join(dir, "second"), m, out); err != nil {
			return err
		}
		if err := c.backlog(m, out); err != nil {
			return err
		}
		return c.webhooks(m, out)
	})
}

// again starts the node anew, with its reactors or without.
func (m *messageBench) again(reacting bool) error {
	m.stopNode()
	if m.cfg.Roles = writeRoles; reacting {
		m.cfg.Roles = nil
	}
	if err := m.startNode(context.Background()); err != nil {
		return err
	}
	m.nodes = []string{m.node.URL()}
	return nil
}

func (m *messageBench) deploy() error {
	source := "DSL: 1\nAGENT: " + hearingAgent + "\nFLOW: {START: a, STEPS: {a: {BRANCH: [{ELSE: true, SAY: \"{{ turn.text }}\", " +
		"STOP: true}]}}}\n"
	if err := m.makeAgent(hearingAgent, source); err != nil {
		return err
	}
	return m.deployAgent("production", hearingAgent)
}

// conversations takes others than before: what is measured next begins with none of them long.
func (m *messageBench) conversations(name string) {
	m.free = make(chan string, throughClients)
	for n := range cap(m.free) {
		m.free <- fmt.Sprint(name, n)
	}
}

// told wakes who waits for a reply.
func (m *messageBench) told(of platforms.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if waiting := m.waits[of.To]; waiting != nil {
		delete(m.waits, of.To)
		close(waiting)
	}
}

// answered writes something in one of many conversations, and waits for the reply.
func (m *messageBench) answered(ctx context.Context) error {
	n, to, waiting := m.number.Add(1), <-m.free, make(chan struct{})
	defer func() { m.free <- to }()
	m.mu.Lock()
	m.waits[to] = waiting
	m.mu.Unlock()
	if err := m.write(ctx, to, n); err != nil {
		return err
	}
	select {
	case <-waiting:
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("message %d to %s has no reply", n, to)
	}
}

// through measures how many messages are answered when many people wait for their replies at once: by one node, and
// by two that share what comes. Both have the same cores here.
func (c *Command) through(data string, m *messageBench, out *report) error {
	ctx := context.Background()
	m.conversations("DO")
	one, err := timed(throughFigure, c.For, throughClients, m.answered, m.analysed)
	if err != nil {
		return err
	}
	out.add(one)
	other, err := m.another(ctx, data)
	if err != nil {
		return err
	}
	defer other.Close(ctx)
	m.nodes = append(m.nodes, other.URL())
	m.conversations("DT")
	two, err := timed(throughFigure+", two nodes", c.For, throughClients, m.answered, m.analysed)
	if err != nil {
		return err
	}
	out.add(two.of(one).aim("not slower than one", two.Rate >= one.Rate))
	return nil
}

// backlog has messages come while reactors rest, and measures how long they take then.
func (c *Command) backlog(m *messageBench, out *report) error {
	if err := m.again(false); err != nil {
		return err
	}
	each := max(1, min(c.Backlog/backlogThreads, eachWaits))
	threads := c.Backlog / each
	var next atomic.Int64
	var writing sync.WaitGroup
	var failed atomic.Pointer[error]
	for range 16 {
		writing.Go(func() {
			for t := next.Add(1); t <= int64(threads) && failed.Load() == nil; t = next.Add(1) {
				for n := range each {
					if err := m.write(context.Background(), fmt.Sprint("DB", t), int64(n+1)); err != nil {
						failed.Store(&err)
						return
					}
				}
			}
		})
	}
	writing.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	m.recorder.Forget()
	before, start := spent(), time.Now()
	if err := m.again(true); err != nil {
		return err
	}
	for deadline := start.Add(10 * time.Minute); len(m.recorder.Sent("slack", "")) < threads*each; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("%d of %d messages are answered after 10 minutes", len(m.recorder.Sent("slack", "")), threads*each)
		}
	}
	elapsed := time.Since(start)
	last := map[string]int{}
	for _, reply := range m.recorder.Sent("slack", "") {
		if n, err := strconv.Atoi(reply.Text); err != nil || n != last[reply.To]+1 {
			return fmt.Errorf("in %s %q follows %d", reply.To, reply.Text, last[reply.To])
		}
		last[reply.To]++
	}
	total := float64(threads * each)
	out.add(figure{Name: fmt.Sprintf("%s, %d in %d threads", backlogFigure, threads*each, threads), Rate: total / elapsed.Seconds(),
		CPU: float64((spent() - before).Microseconds()) / total})
	return nil
}

// webhooks measures messages until their provider is answered, beside hooks, while reactors rest.
func (c *Command) webhooks(m *messageBench, out *report) error {
	if err := m.again(false); err != nil {
		return err
	}
	open := make(chan hooked, mostHookClients)
	for range cap(open) {
		open <- hooked{}
	}
	for _, clients := range []int{1, 16} {
		ceiling, err := timed(hookFigure, c.For, clients, func(ctx context.Context) error {
			h := <-open
			err := m.hook(ctx, &h)
			open <- h
			return err
		}, m.analysed)
		if err != nil {
			return err
		}
		out.add(ceiling)
		f, err := timed(webhookFigure, c.For, clients, func(ctx context.Context) error {
			n := m.number.Add(1)
			return m.write(ctx, fmt.Sprint("DW", n/eachWaits), n)
		}, m.analysed)
		if err != nil {
			return err
		}
		if f = f.of(ceiling); clients == 1 {
			f = f.aim("p50 under 4 ms", f.P50 < 4)
		} else {
			f = f.aim("80 % of "+hookFigure, f.Ratio >= 0.8)
		}
		out.add(f)
	}
	return nil
}

// write is a message as Slack sends it: a number, in a conversation with the bot.
func (m *messageBench) write(ctx context.Context, channel string, n int64) error {
	body, err := json.Marshal(map[string]any{"type": "event_callback", "api_app_id": "A0ACME", "team_id": "T0ACME", "event": map[string]any{
		"type": "message", "channel_type": "im", "channel": channel, "user": "U" + channel, "text": strconv.FormatInt(n, 10),
		"ts": fmt.Sprintf("1700000000.%06d", n)}})
	if err != nil {
		return err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(examples.SigningSecret))
	_, _ = mac.Write([]byte("v0:" + at + ":" + string(body)))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.nodes[n%int64(len(m.nodes))]+webhookPath, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Slack-Request-Timestamp", at)
	req.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	res, err := m.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the provider was answered with %d: %s", res.StatusCode, answer)
	}
	return err
}
