package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// random is one caller's own.
type random struct{ *rand.Rand }

func randomOf(seed uint64, caller int) *random {
	return &random{rand.New(rand.NewPCG(seed, uint64(caller)))}
}

// Names is how many key names the callers fight for: few, so that they meet.
const Names = 5

// bits are the permissions of the hot scope that stand for a number: all but the one
// that its keys need to change it. A key can take them away and never give them back
// (docs/decisions/2026-11-22-nobody-gives-more-than-he-has.md).
var bits = []string{"DOCUMENT_UPLOAD", "SESSION_TERMINATION", "SESSIONS_LIST", "SESSION_CREATION", "RUN_API", "AGENTS_VIEW", "AGENTS_EDIT",
	"AGENTS_FULL", "API_SCOPE_KEY_VIEW", "API_SCOPE_KEY_EDIT", "APP_VIEW", "APP_EDIT", "APP_FULL"}

// InitialNumber is what the example workspace's permissions stand for: all are given.
const InitialNumber = 1<<13 - 1

// without is a number that stands for the change which takes one permission away.
func without(r *random) int { return InitialNumber &^ (1 << r.IntN(len(bits))) }

// taken are the permissions that a change takes away: those that its number lacks.
func taken(number int) map[string]string {
	out := map[string]string{}
	for i, name := range bits {
		if number>>i&1 == 0 {
			out[name] = "NO"
		}
	}
	return out
}

// NumberOf reads the number that permissions stand for.
func NumberOf(permissions map[string]string) (number int) {
	for i, name := range bits {
		if permissions[name] == "YES" {
			number |= 1 << i
		}
	}
	return number
}

// made is a key that a caller knows.
type made struct{ name, id, secret string }

// ring is the keys that may still exist, known to all callers, so that they revoke
// each other's.
type ring struct {
	mu   sync.Mutex
	keys []made
}

func (r *ring) put(k made) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = append(r.keys, k)
}

// pick gives a key, and takes it out most of the time when it is to be revoked.
func (r *ring) pick(x *random, out bool) (made, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) == 0 {
		return made{}, false
	}
	i := x.IntN(len(r.keys))
	k := r.keys[i]
	if out && x.IntN(4) > 0 {
		r.keys = append(r.keys[:i:i], r.keys[i+1:]...)
	}
	return k, true
}

func (w *World) scopePath() string {
	return "/aaa/api/public/apps/" + w.Bot + "/scopes/" + w.Scope
}

func (c *client) createKey(ctx context.Context, key, name string, first int) (*Op, string) {
	op := c.w.History.add(&Op{Caller: c.id, Kind: CreateKey, Key: key, Path: "/aaa/api/public/apps/" + c.w.Bot + "/apikeys/create",
		Name: name})
	return op, c.repeatCreate(ctx, op, first)
}

func (c *client) repeatCreate(ctx context.Context, op *Op, first int) (secret string) {
	var out struct {
		Key struct {
			ID     string `json:"key_id"`
			Secret string `json:"apikey"`
			Name   string `json:"key_name"`
		} `json:"api_key"`
	}
	replayed := false
	outcome := c.settle(ctx, op, first, func(node Node) answer {
		return c.send(ctx, op, node, http.MethodPost, op.Path, map[string]string{"scope_name": "main", "api_key_name": op.Name}, "x-api-key",
			c.w.Admin, "Idempotency-Key", op.Key)
	}, func(a answer) Outcome {
		if a.Status == http.StatusConflict {
			return Refused
		}
		if a.Status != http.StatusCreated || json.Unmarshal(a.body, &out) != nil || out.Key.ID == "" || out.Key.Name != op.Name {
			return Failed
		}
		replayed = a.replayed
		return OK
	})
	if outcome != Unknown {
		c.w.History.finish(op, outcome, func() { op.KeyID, op.Replayed = out.Key.ID, replayed })
	}
	return out.Key.Secret
}

func (c *client) revokeKey(ctx context.Context, key string, k made, first int) *Op {
	op := c.w.History.add(&Op{Caller: c.id, Kind: RevokeKey, Key: key, Path: "/aaa/api/public/apps/" + c.w.Bot + "/apikeys/" + k.id,
		Name: k.name, KeyID: k.id})
	c.repeatRevoke(ctx, op, first)
	return op
}

func (c *client) repeatRevoke(ctx context.Context, op *Op, first int) {
	replayed := false
	outcome := c.settle(ctx, op, first, func(node Node) answer {
		return c.send(ctx, op, node, http.MethodDelete, op.Path, nil, "x-api-key", c.w.Admin, "Idempotency-Key", op.Key)
	}, func(a answer) Outcome {
		switch a.Status {
		case http.StatusOK:
			replayed = a.replayed
			return OK
		case http.StatusNotFound:
			return Refused
		}
		return Failed
	})
	if outcome != Unknown {
		c.w.History.finish(op, outcome, func() { op.Replayed = replayed })
	}
}

func (c *client) setScope(ctx context.Context, key string, number, first int) *Op {
	op := c.w.History.add(&Op{Caller: c.id, Kind: SetScope, Key: key, Path: c.w.scopePath(), Number: number})
	c.repeatSet(ctx, op, first)
	return op
}

type scopeAnswer struct {
	Scope struct{ Permissions map[string]string }
}

func (c *client) repeatSet(ctx context.Context, op *Op, first int) {
	replayed := false
	outcome := c.settle(ctx, op, first, func(node Node) answer {
		return c.send(ctx, op, node, http.MethodPut, op.Path, map[string]any{"permissions": taken(op.Number)},
			"x-api-key", c.w.Admin, "Idempotency-Key", op.Key)
	}, func(a answer) Outcome {
		var out scopeAnswer
		if a.Status != http.StatusOK || json.Unmarshal(a.body, &out) != nil {
			return Failed
		}
		replayed = a.replayed
		if got := NumberOf(out.Scope.Permissions); got&^op.Number != 0 {
			c.w.History.Wrong(fmt.Sprintf("set-scope %s left %013b and was answered %013b (request %s)", op.Key, op.Number, got, a.RequestID))
		}
		return OK
	})
	if outcome != Unknown {
		c.w.History.finish(op, outcome, func() { op.Replayed = replayed })
	}
}

// readScope reads the hot scope with a key: the admin's, or one that may be gone.
func (c *client) readScope(ctx context.Context, node Node, k made) *Op {
	op, secret := c.w.History.add(&Op{Caller: c.id, Kind: ReadScope}), c.w.Admin
	if k.secret != "" {
		op.Kind, op.Name, op.KeyID, secret = UseKey, k.name, k.id, k.secret
	}
	a := c.send(ctx, op, node, http.MethodGet, c.w.scopePath(), nil, "x-api-key", secret)
	var out scopeAnswer
	switch {
	case a.Status == http.StatusOK && json.Unmarshal(a.body, &out) == nil:
		c.w.History.finish(op, OK, func() { op.Number = NumberOf(out.Scope.Permissions) })
	case a.Status == http.StatusUnauthorized && op.Kind == UseKey:
		c.w.History.finish(op, Refused, func() { op.Number = -1 })
	default:
		if !c.again(op, a) {
			c.wrong(op, a)
		}
		c.w.History.finish(op, Failed, nil)
	}
	return op
}

// keys is a caller who makes and revokes keys and changes the scope, and reads at
// both nodes after each change.
func (c *client) keys(ctx context.Context, r *random, shared *ring, every time.Duration) {
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprintf("key-%d-%d", c.id, i)
		switch n := r.IntN(10); {
		case n < 4:
			name := fmt.Sprintf("name %d", r.IntN(Names))
			op, secret := c.createKey(ctx, key, name, r.IntN(2))
			if op.Outcome == OK {
				k := made{name, op.KeyID, secret}
				shared.put(k)
				if secret != "" {
					c.bothRead(ctx, k)
				}
			}
		case n < 7:
			if k, ok := shared.pick(r, true); ok {
				op := c.revokeKey(ctx, key, k, r.IntN(2))
				if op.Outcome == OK && k.secret != "" {
					c.bothRead(ctx, k)
				}
			}
		case n < 9:
			if op := c.setScope(ctx, key, without(r), r.IntN(2)); op.Outcome == OK {
				c.bothRead(ctx, made{})
			}
		default:
			if k, ok := shared.pick(r, false); ok && k.secret != "" {
				c.bothRead(ctx, k)
			}
		}
		pause(ctx, time.Duration(r.Int64N(int64(2*every))))
	}
}

func (c *client) bothRead(ctx context.Context, k made) {
	for _, node := range c.w.Nodes {
		c.readScope(ctx, node, k)
	}
}
