package codetool_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/codetool"
	"github.com/parley-platform/parley/adapters/tries"
	"github.com/parley-platform/parley/domain/sessions"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == codetool.Asking {
		codetool.Serve()
	}
	dir, err := os.MkdirTemp("", "parley-codetool-")
	if err != nil {
		panic(err)
	}
	children = filepath.Join(dir, "children")
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// The children of a test are this test as it is without the race detector, which needs more
// memory than a child may have.
var (
	children string
	build    = sync.OnceValue(func() error {
		if out, err := exec.Command("go", "test", "-c", "-o", children, ".").CombinedOutput(); err != nil {
			return fmt.Errorf("building the children: %w\n%s", err, out)
		}
		return nil
	})
)

func runner(t *testing.T, o codetool.Options) *codetool.Runner {
	t.Helper()
	require.NoError(t, build())
	o.Program = children
	r := codetool.New(o)
	t.Cleanup(r.Close)
	return r
}

func program(source string) codetool.Call {
	return codetool.Call{Source: source, Names: map[string]any{"args": map[string]any{"flight": 300, "nights": 2, "rate": 80.5,
		"name": "Ann \"<b>\" Ünal"}}, Timeout: 5 * time.Second, Repeatable: true}
}

func TestWhatAProgramAnswers(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	for source, want := range map[string]string{
		`return { eur: args.flight + args.nights * args.rate }`: `{"eur":461}`,
		`return args.name`: `"Ann \"<b>\" Ünal"`,
		`let n = 0; for (const x of [1, 2]) n += x; return n`: `3`,
		``:                                               `null`,
		`return () => 1`:                                 `null`,
		`return [undefined, NaN, new Date(0)]`:           `[null,null,"1970-01-01T00:00:00.000Z"]`,
		`return await Promise.resolve([1])`:              `[1]`,
		`return new Date(0).getTimezoneOffset()`:         `0`,
		`return typeof call`:                             `"undefined"`,
		`JSON.stringify = () => "[]"; return 1`:          `1`,
		`return this === undefined`:                      `true`,
		`return "é".normalize("NFD").length`:             `2`,
		`return /^(?<y>\d{4})/.exec("2026-11").groups.y`: `"2026"`,
		`return "x".repeat(262142).length`:               `262142`,
		`return "\u2028<>&"`:                             "\"\u2028<>&\"",
	} {
		got := r.Run(t.Context(), program(source))
		assert.Equal(t, sessions.CallOK, got.Outcome, "%s: %s %s", source, got.Code, got.Problem)
		assert.Equal(t, want, string(got.Result), source)
	}
}

func TestWhatAProgramIsRefused(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 2})
	for source, want := range map[string]string{
		`throw new Error("no such flight")`: "CODE_ERROR Error: no such flight",
		`throw "as it is"`:                  "CODE_ERROR as it is",
		`throw new Error("x".repeat(5000))`: "CODE_ERROR Error: " + strings.Repeat("x", 493) + "…",
		`return 1 +`:                        "CODE_ERROR SyntaxError: unexpected token in expression: '}'",
		`}); (() => {`:                      "CODE_ERROR TypeError: cannot read property 'then' of undefined", // out of its function, and nowhere
		`return args.hotel.stars`:           "CODE_ERROR TypeError: cannot read property 'stars' of undefined",
		`return 10n`:                        "CODE_ERROR TypeError: Do not know how to serialize a BigInt",
		`const a = {}; a.a = a; return a`:   "CODE_ERROR TypeError: circular reference",
		`await new Promise(() => {})`:       "CODE_ERROR the program ended without its value: " + forNothing,
		`return "x".repeat(262143)`:         "TOOL_RESULT_TOO_LARGE ",
		`return "\ud83d"`:                   "NOT_JSON ",
		`return "\0"`:                       "NOT_JSON ",
		`let a = []; for (let i = 0; i < 100; i++) a = [a]; return a`: "NOT_JSON ",

		// It goes on for ever.
		`for (;;);`:                                  "TIMEOUT ",
		`await null; for (;;);`:                      "TIMEOUT ",
		`try { for (;;); } finally { return 1 }`:     "TIMEOUT ",
		`return /(a+)+$/.test("a".repeat(40) + "b")`: "TIMEOUT ",
		`[3, 1, 2].sort(() => { for (;;); })`:        "TIMEOUT ",
		`new Array(1e9).indexOf(1)`:                  "TIMEOUT ", // where no engine looks at the time: the process is killed

		// It wants all there is.
		`const f = () => f() + 1; return f()`:                        "CODE_ERROR InternalError: stack overflow",
		`return JSON.parse("[".repeat(300000))`:                      "CODE_ERROR SyntaxError: stack overflow",
		`const all = []; for (;;) all.push(new Array(1000).fill(1))`: "OUT_OF_MEMORY ",
		`return new Uint8Array(1e8).length`:                          "OUT_OF_MEMORY ",
		`return "a".repeat(1e6).replace(/a/g, x => x + x).length`:    "OUT_OF_MEMORY ",

		// It wants out.
		`return fetch("http://127.0.0.1")`:                             "CODE_ERROR ReferenceError: 'fetch' is not defined",
		`return new XMLHttpRequest()`:                                  "CODE_ERROR ReferenceError: 'XMLHttpRequest' is not defined",
		`return require("fs")`:                                         "CODE_ERROR ReferenceError: 'require' is not defined",
		`return process.env`:                                           "CODE_ERROR ReferenceError: 'process' is not defined",
		`return (await import("std")).open("/etc/passwd")`:             "CODE_ERROR ReferenceError: could not load module 'std'",
		`return (await import("os")).exec(["id"])`:                     "CODE_ERROR ReferenceError: could not load module 'os'",
		`return (await import("/etc/passwd")).default`:                 "CODE_ERROR ReferenceError: could not load module '/etc/passwd'",
		`return std.loadFile("/etc/passwd")`:                           "CODE_ERROR ReferenceError: 'std' is not defined",
		`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`: "CODE_ERROR TypeError: cannot block in this thread",
	} {
		c := program(source)
		if c.Timeout = 20 * time.Second; strings.HasPrefix(want, "TIMEOUT") { // what wants all there is may take its time
			c.Timeout = 100 * time.Millisecond
		}
		began := time.Now()
		got := r.Run(t.Context(), c)
		assert.Equal(t, want, got.Code+" "+got.Problem, source)
		assert.Equal(t, sessions.CallFailed, got.Outcome, source)
		assert.Empty(t, got.Result, source)
		assert.Less(t, time.Since(began), c.Timeout+20*time.Second, source)
	}
	got := r.Run(t.Context(), program(`return 1`))
	require.Equal(t, "1", string(got.Result), "what was done to one child is nothing to the next: %s", got.Code)
}

const forNothing = "it waits for what never comes, or had no memory to go on"

// Given promises that want all there is, then the program ends, though the engine forgets some of
// them without a word.
func TestPromisesThatWantAllThereIs(t *testing.T) {
	t.Parallel()
	c := program(`const g = () => Promise.resolve().then(g); await g()`)
	c.Timeout = 20 * time.Second
	got := runner(t, codetool.Options{Most: 1}).Run(t.Context(), c)
	require.Contains(t, []string{codetool.CodeMemory + " ", "CODE_ERROR the program ended without its value: " + forNothing},
		got.Code+" "+got.Problem)
}

// No call finds anything of the one before, though both are run by one child.
func TestProgramsKnowNothingOfEachOther(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	for range 3 {
		got := r.Run(t.Context(), program(`
			const before = [typeof globalThis.left, [].left, typeof Object.prototype.left]
			globalThis.left = Object.prototype.left = "mine"
			return before`))
		require.Equal(t, `["undefined",null,"undefined"]`, string(got.Result), got.Problem)
	}
}

func TestTheMemoryOfAToolIsItsOwn(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	c := program(`return new Uint8Array(20e6).length`)
	require.Equal(t, codetool.CodeMemory, r.Run(t.Context(), c).Code, "16 MB unless it says more")
	c.MemoryMB = 64
	require.Equal(t, "20000000", string(r.Run(t.Context(), c).Result))
	c.MemoryMB, c.Source = 128, `return "x".repeat(1e8).length`
	require.Equal(t, "100000000", string(r.Run(t.Context(), c).Result))
}

func TestLargeArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	c := program(`return args.length`)
	c.Names["args"] = strings.Repeat("x", 256<<10-len(`{"args":""}`))
	require.Equal(t, fmt.Sprint(256<<10-len(`{"args":""}`)), string(r.Run(t.Context(), c).Result))
	c.Names["args"] = strings.Repeat("x", 256<<10)
	require.Equal(t, codetool.CodeTooMuch, r.Run(t.Context(), c).Code)
}

// Given fewer children than calls, then these wait their turn, and not for ever.
func TestCallsWaitForAChild(t *testing.T) {
	t.Parallel()
	r := runner(t, codetool.Options{Most: 2})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			got := r.Run(t.Context(), program(fmt.Sprintf("return %d", i)))
			assert.Equal(t, fmt.Sprint(i), string(got.Result), got.Code)
		})
	}
	all.Wait()
	r = runner(t, codetool.Options{Most: 1, Patience: 500 * time.Millisecond})
	hold := program(`for (;;);`)
	hold.Timeout = 5 * time.Second
	held := make(chan string)
	go func() { held <- r.Run(t.Context(), hold).Code }()
	require.Eventually(t, func() bool { return r.Children() == 1 }, 10*time.Second, time.Millisecond, "it has the only one")
	require.Eventually(t, func() bool { return r.Run(t.Context(), program(`return 1`)).Code == codetool.CodeBusy }, 10*time.Second,
		time.Millisecond)
	require.Equal(t, sessions.CodeTimeout, <-held)
}

// Given nothing to do, then there is no child; with something, there is one for as long as it is
// likely to be needed again, and it goes with its runner.
func TestChildrenComeAndGo(t *testing.T) {
	t.Parallel()
	r := codetool.New(codetool.Options{Most: 2, Idle: 200 * time.Millisecond})
	require.Zero(t, r.Children())
	r.Run(t.Context(), program(`return 1`))
	require.Equal(t, 1, r.Children())
	require.Eventually(t, func() bool { return r.Children() == 0 }, 20*time.Second, time.Millisecond)
	require.Equal(t, "1", string(r.Run(t.Context(), program(`return 1`)).Result))

	held := make(chan string)
	go func() {
		c := program(`for (;;);`)
		c.Repeatable = false
		held <- string(r.Run(t.Context(), c).Outcome)
	}()
	time.Sleep(50 * time.Millisecond)
	r.Close()
	require.Contains(t, []string{"unknown", "error"}, <-held)
	require.Zero(t, r.Children())
	require.Equal(t, codetool.CodeAway, r.Run(t.Context(), program(`return 1`)).Code)
}

// A child that dies takes one call with it, which is made again if it may be.
func TestAChildThatDies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		repeatable bool
		retry      int
		outcome    sessions.CallOutcome
		code       string
	}{
		{true, 0, sessions.CallFailed, codetool.CodeCrashed},
		{true, 2, sessions.CallOK, ""},
		{false, 2, sessions.CallUnknown, sessions.CodeUnknown},
	} {
		r := runner(t, codetool.Options{Most: 1})
		c := program(`const end = Date.now() + 700; while (Date.now() < end); return 1`)
		c.Repeatable, c.Retry = tt.repeatable, tt.retry
		ended := make(chan tries.Ended)
		go func() { ended <- r.Run(t.Context(), c) }()
		require.Eventually(t, func() bool { return r.Children() == 1 }, 10*time.Second, time.Millisecond)
		time.Sleep(100 * time.Millisecond)
		r.KillChildren()
		got := <-ended
		require.Equal(t, []any{tt.outcome, tt.code}, []any{got.Outcome, got.Code})
		require.Equal(t, "2", string(r.Run(t.Context(), program(`return 2`)).Result), "the next has another one")
	}
}

// A child has nothing of the process that started it, and can open nothing.
func TestAChildIsConfined(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it looks at /proc")
	}
	t.Parallel()
	r := runner(t, codetool.Options{Most: 1})
	r.Run(t.Context(), program(`return 1`))
	pid := r.Pids()[0]
	of := func(file string) string {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		require.NoError(t, err)
		return string(content)
	}
	require.Empty(t, of("environ"))
	limits := regexp.MustCompile(` {2,}`).ReplaceAllString(of("limits"), "|")
	for _, want := range []string{"Max open files|0|0|", "Max file size|0|0|", "Max core file size|0|0|", "Max cpu time|900|900|",
		"Max data size|671088640|671088640|"} {
		require.Contains(t, limits, want)
	}
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	require.NoError(t, err)
	require.Equal(t, "/", dir)
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	require.NoError(t, err)
	for _, f := range files {
		leads, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, f.Name()))
		require.NoError(t, err)
		require.Regexp(t, `^(pipe:|anon_inode:|/sys/fs/cgroup|/proc/|/dev/null$)`, leads, "its pipes, and what Go itself has")
	}
}
