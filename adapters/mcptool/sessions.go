package mcptool

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-platform/parley/adapters/tries"
)

// kept are the sessions with servers. What is not used for a while ends; with too many of them,
// one of the account that has the most does.
type kept struct {
	mu     sync.Mutex
	all    map[key]*held
	closed bool
	ending sync.WaitGroup
}

const mostSessions = 500

// key is for whom a session is, with what: owner, address and headers.
type key [sha256.Size]byte

func keyOf(c Call) key {
	said, _ := json.Marshal([]any{c.Owner, c.URL, c.Headers}) // texts only
	return sha256.Sum256(said)
}

// held is a session, or the one try to begin it that all who need it wait for.
type held struct {
	account string
	begun   chan struct{} // closed when there is one, or none
	session *mcp.ClientSession
	failed  *tries.Try
	timer   *time.Timer
	used    time.Time
}

// session is the one with the call's server, begun now if there is none.
func (c *Caller) session(ctx context.Context, call Call) (*mcp.ClientSession, *tries.Try) {
	k := keyOf(call)
	c.kept.mu.Lock()
	h := c.kept.all[k]
	if h == nil {
		if c.kept.all == nil {
			c.kept.all = map[key]*held{}
		}
		h = &held{account: call.Account, begun: make(chan struct{})}
		c.kept.all[k] = h
		go c.begin(ctx, call, k, h)
	}
	h.used = c.o.Now()
	if h.timer != nil {
		h.timer.Reset(c.o.Idle)
	}
	c.kept.mu.Unlock()
	select {
	case <-h.begun:
		return h.session, h.failed
	case <-ctx.Done():
		return nil, new((&request{}).failure(ctx, ctx.Err()))
	}
}

// longestBegin is how long a session may take to begin; it goes on when the call that wanted it
// gives up, for the next one.
const longestBegin = 10 * time.Second

// mostResumed is how often an answer is asked for again that a server has begun, and ended before it
// was there: by the id of its last event, so the tool is not called again.
const mostResumed = 5

func (c *Caller) begin(ctx context.Context, call Call, k key, h *held) {
	defer close(h.begun)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestBegin)
	defer cancel()
	seen := &request{}
	session, err := c.client.Connect(seen.in(ctx), &mcp.StreamableClientTransport{Endpoint: call.URL, HTTPClient: c.with(call.Headers),
		MaxRetries: mostResumed, DisableStandaloneSSE: true, MaxEventSize: mostAnswer}, nil)
	c.kept.mu.Lock()
	defer c.kept.mu.Unlock()
	if err != nil {
		h.failed = new(seen.failure(ctx, err))
		h.failed.Doubtful, h.failed.Done = false, false // the tool was not called
		if c.kept.all[k] == h {
			delete(c.kept.all, k)
		}
		return
	}
	h.session = session
	if c.kept.closed || c.kept.all[k] != h {
		c.kept.end(session)
		return
	}
	h.timer = time.AfterFunc(c.o.Idle, func() { c.kept.drop(k, session) })
	c.kept.evict()
}

// drop ends a session, if it is still kept.
func (k *kept) drop(of key, session *mcp.ClientSession) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.all[of]; h != nil && h.session == session {
		h.timer.Stop()
		delete(k.all, of)
		k.end(session)
	}
}

// evict makes room for what was begun last.
func (k *kept) evict() {
	if len(k.all) <= mostSessions {
		return
	}
	if of, h := k.spare(); h != nil {
		h.timer.Stop()
		delete(k.all, of)
		k.end(h.session)
	}
}

// spare is the session that was not used longest, of the account that has the most: a call may be waiting in it, so nobody is to
// end those of others by beginning many.
func (k *kept) spare() (oldest key, found *held) {
	count, most := map[string]int{}, 0
	for _, h := range k.all {
		if h.session != nil {
			count[h.account]++
			most = max(most, count[h.account])
		}
	}
	for of, h := range k.all {
		if h.session != nil && count[h.account] == most && (found == nil || h.used.Before(found.used)) {
			oldest, found = of, h
		}
	}
	return oldest, found
}

// end tells the server that a session ends, and waits for nothing.
func (k *kept) end(session *mcp.ClientSession) {
	k.ending.Go(func() { _ = session.Close() })
}

// Close ends all sessions, and waits a little for the servers to be told.
func (c *Caller) Close(ctx context.Context) {
	c.kept.mu.Lock()
	c.kept.closed = true
	for of, h := range c.kept.all {
		if h.session != nil {
			h.timer.Stop()
			c.kept.end(h.session)
		}
		delete(c.kept.all, of)
	}
	c.kept.mu.Unlock()
	told := make(chan struct{})
	go func() { c.kept.ending.Wait(); close(told) }()
	select {
	case <-told:
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
	}
	c.http.CloseIdleConnections()
}
