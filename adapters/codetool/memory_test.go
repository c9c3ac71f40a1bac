package codetool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/codetool"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// shelf is a memory with one store of everybody, which is called notes.
type shelf struct {
	mu      sync.Mutex
	content json.RawMessage
	version int
	uses    int
}

func (s *shelf) use(_ context.Context, u codetool.Use) (used codetool.Used, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses++
	switch {
	case u.Store != "notes":
		return used, fault.New(fault.Forbidden, "the agent declares no store of this name")
	case u.Version != nil && *u.Version != s.version:
		return used, fault.New(fault.Conflict, "the store has version %d, not %d", s.version, *u.Version)
	case u.Action == "set" && len(u.Content) == 0:
		return used, fault.Field("content", "is required")
	case u.Action == "get":
		return codetool.Used{Content: s.content, Version: s.version}, nil
	}
	s.content, s.version = json.RawMessage("{}"), s.version+1
	if u.Action == "set" {
		s.content = u.Content
	}
	return codetool.Used{Version: s.version}, nil
}

// Given a program with a memory in which {"n":1} is written, then this is what it makes of it.
func TestAProgramUsesItsMemory(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	noVersion := "version must be the version that was read: a whole number, 0 of a store that was never written"
	for source, want := range map[string]string{
		`return await memory.get("notes")`:                                      `{"content":{"n":1},"version":1}`,
		`return await memory.set("notes", {n: "é<"})`:                           `{"version":2}`,
		`return await memory.delete("notes")`:                                   `{"deleted":true}`,
		`await memory.set("notes", {n: 2}, 1); return memory.get("notes")`:      `{"content":{"n":2},"version":2}`,
		`memory.set("notes", {n: 2}); return 1`:                                 `1`, // done, though nobody waits for it
		`return await memory.set("notes", {n: 3}, 7)`:                           "! CONFLICT: the store has version 1, not 7",
		`return await memory.delete("notes", 7)`:                                "! CONFLICT: the store has version 1, not 7",
		`return await memory.set("others", {})`:                                 "! FORBIDDEN: the agent declares no store of this name",
		`return await memory.set("notes")`:                                      "! VALIDATION_ERROR: content is required",
		`return await memory.set("notes", () => 1)`:                             "! VALIDATION_ERROR: content is required",
		`return await memory.get()`:                                             "! VALIDATION_ERROR: store must be the name of a store",
		`return await memory.get({a: 1})`:                                       "! VALIDATION_ERROR: store must be the name of a store",
		`return await memory.set("notes", {a: "x".repeat(600000)})`:             "! PAYLOAD_TOO_LARGE: content may have 262144 bytes as JSON",
		`return await memory.set("notes", {a: 1n})`:                             "TypeError: Do not know how to serialize a BigInt",
		`memory.get = () => 1`:                                                  "TypeError: 'get' is read-only",
		`return await memory.set("notes", {}, 1.5)`:                             "! VALIDATION_ERROR: " + noVersion,
		`for (let i = 0; i < 102; i++) await memory.get("notes")`:               "! LIMIT_REACHED: one call may use its memory 100 times",
		`JSON.stringify = Array.prototype.join = null; memory.get("notes")`:     `null`,
		`Promise.prototype.then = null; return 1`:                               "TypeError: not a function",
		`try { await memory.get("x") } catch (e) { return e.code }`:             `"FORBIDDEN"`,
		`try { await memory.set("notes") } catch (e) { return e.field }`:        `"content"`,
		`try { await memory.get("x") } catch (e) { return e instanceof Error }`: `true`,
		`const {get, set} = memory
			const all = await Promise.allSettled([get("notes"), get("x"), set("notes", {n: 5}), get("notes")])
			return all.map(a => a.value?.version ?? a.reason.code)`: `[1,"FORBIDDEN",2,2]`,
	} {
		c := program(source)
		c.Memory = (&shelf{content: json.RawMessage(`{"n":1}`), version: 1}).use
		got := r.Run(t.Context(), c)
		assert.Equal(t, strings.Replace(want, "! ", "MemoryError: ", 1), string(got.Result)+got.Problem, "%s: %s", source, got.Code)
	}
}

// Given a tool without stores, then its program has no memory.
func TestAProgramWithoutStoresHasNoMemory(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	require.Equal(t, `"undefined"`, string(r.Run(t.Context(), program(`return typeof memory`)).Result))
}

// What a program did before it was done stays done.
func TestWhatNobodyWaitedForIsDone(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	s := &shelf{}
	c := program(`for (let i = 0; i < 3; i++) memory.set("notes", {i}); return 1`)
	c.Memory = s.use
	require.Equal(t, "1", string(r.Run(t.Context(), c).Result))
	require.Equal(t, []any{`{"i":2}`, 3}, []any{string(s.content), s.uses})
}

// Given a memory that does not answer, then the program's time is over as if it had worked, and the
// next has a child again; what it may keep holds for what it reads, too.
func TestTheLimitsHoldWhileAProgramWaits(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	c := program(`try { await memory.get("notes") } finally { return 1 }`)
	c.Timeout = 300 * time.Millisecond
	stuck := make(chan struct{})
	defer close(stuck)
	c.Memory = func(ctx context.Context, _ codetool.Use) (codetool.Used, error) {
		select {
		case <-ctx.Done():
		case <-stuck:
		}
		return codetool.Used{}, ctx.Err()
	}
	got := r.Run(t.Context(), c)
	require.Equal(t, []any{sessions.CallFailed, sessions.CodeTimeout}, []any{got.Outcome, got.Code})

	c = program(`const all = []; for (;;) all.push((await memory.get("notes")).content)`)
	c.Timeout, c.MemoryMB = 30*time.Second, 4
	c.Memory = func(context.Context, codetool.Use) (codetool.Used, error) {
		return codetool.Used{Content: json.RawMessage(`{"a":"` + strings.Repeat("x", 250_000) + `"}`)}, nil
	}
	require.Equal(t, codetool.CodeMemory, r.Run(t.Context(), c).Code)

	c = program(`const before = Date.now(); while (Date.now() < before + 50); return (await memory.get("notes")).version`)
	c.Memory = (&shelf{version: 4}).use
	require.Equal(t, "4", string(r.Run(t.Context(), c).Result))

	c = program(`await memory.get("notes"); for (;;);`)
	c.Memory, c.Timeout = (&shelf{}).use, 200*time.Millisecond
	require.Equal(t, sessions.CodeTimeout, r.Run(t.Context(), c).Code)
	c.Source = `for (;;) await memory.get("notes").catch(() => 1)`
	require.Equal(t, sessions.CodeTimeout, r.Run(t.Context(), c).Code, "refused for ever is not for ever")
}

// Given an owner whose programs take for ever, then it has its share of the children, and a program
// of another is run meanwhile.
func TestNoOwnerHasAllChildren(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 4, Patience: time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for i := range 8 {
		all.Go(func() {
			c := program(`for (;;);`)
			c.Owner, c.Timeout = "greedy", time.Minute
			got := r.Run(ctx, c).Code
			assert.Contains(t, []string{codetool.CodeBusy, codetool.CodeCancelled}, got, fmt.Sprint(i))
		})
	}
	require.Eventually(t, func() bool { return r.Children() == 2 }, 10*time.Second, time.Millisecond, "half of four")
	for i := range 6 {
		c := program(`return 1`)
		c.Owner = fmt.Sprint("modest ", i%2)
		got := r.Run(ctx, c)
		require.Equal(t, "1", string(got.Result), got.Code)
	}
	c := program(`return 1`)
	c.Owner = "greedy"
	require.Equal(t, codetool.CodeBusy, r.Run(ctx, c).Code, "it waits for its own")
	require.LessOrEqual(t, r.Children(), 4)
}
