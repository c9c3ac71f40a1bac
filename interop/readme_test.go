//go:build interop

package interop

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostPasted is how many lines the tour of the README has at most.
const mostPasted = 10

// fresh is a server at the speed of life, as make run starts it: the documents are read
// beside one of their own. It calls over SIP, wherever other servers of these tests do.
var fresh = sync.OnceValues(func() (Server, error) {
	return start("documents", "--sim-speed", "1", "--sip-listen", freeForSIP())
})

// freeForSIP is an address for SIP.
func freeForSIP() string { return freeFrom(15_060) }

// given are the ports that freeFrom said are free: whoever it told may not listen yet.
var given sync.Map

// freeFrom is an address that is free for UDP and TCP, where the system gives away none by itself: one of a hundred ports from
// this one on, each of which it names once.
func freeFrom(first int) (address string) {
	for port := first; port < first+100; port++ {
		address = fmt.Sprintf("127.0.0.1:%d", port)
		if _, before := given.LoadOrStore(port, true); before {
			continue
		}
		udp, err := net.ListenPacket("udp", address)
		if err != nil {
			continue
		}
		tcp, err := net.Listen("tcp", address)
		_ = udp.Close()
		if err == nil {
			_ = tcp.Close()
			return address
		}
	}
	return address // starting will say what is wrong
}

// The tour of the README can be pasted at once, and once more: every line prints what it
// should, and none fails.
func TestTheReadmeIsPastedTwice(t *testing.T) {
	blocks := shellBlocks(t, "README.md")
	require.Len(t, blocks, 1, "the README has one block to paste")
	lines := strings.Split(strings.TrimSpace(blocks[0]), "\n")
	require.LessOrEqual(t, len(lines), mostPasted)
	expected := []struct{ begins, prints string }{
		{". .data/dev.env", `^$`},
		{"bin/parley call +15550000001", `(?s)calls\.requested.*calls\.answered.*calls\.completed.*completed .*\bs\b`},
		{`curl -sS "$PARLEY_URL/api/v1/projects/`, `"success":true,"interactions":\[\{.*"status":"completed","userId":"\+15550000001"`},
		{"CALL=", `^[0-9a-f]{8}-[0-9a-f-]{27}\n$`},
		{`bin/parley calls "$CALL"`, `(?s)completed.*\+15550000001`},
		{"bin/parley events",
			`(?s)calls\.requested\.v1".*"actor":"user:developer@acme-console".*calls\.completed\.v1".*"actor":"reactor:dialer"`},
		{`curl -sSi "$PARLEY_URL/api/1.1/`, `(?s)^HTTP/1\.1 200 .*"callId":"`},
		{"bin/parley campaigns", `(?s)cd-acme-renewals.*cd-acme-reminders`},
		{`curl -sS "$PARLEY_URL/readyz"`, `^\{"ready":true`},
		{"bin/parley doctor", `(?s)ok +topics.*ok +projections`},
	}
	require.Len(t, lines, len(expected), "a line of the README that this test knows nothing of")
	server, err := fresh()
	require.NoError(t, err)
	said := paste(t, checkout(t, server), append(append([]string{}, lines...), lines...))
	for i, s := range said {
		e := expected[i%len(expected)]
		about := fmt.Sprintf("pasted %d., line %d: %s", i/len(lines)+1, i%len(lines)+1, s.text)
		require.True(t, strings.HasPrefix(s.text, e.begins), about)
		require.Zero(t, s.code, "%s\n%s", about, s.out)
		require.Regexp(t, e.prints, s.out, about)
		require.NotRegexp(t, `"success":false|(?m)^fail |^parley: `, s.out, about)
	}
	replayed := regexp.MustCompile(`(?i)Idempotency-Replayed: true`)
	require.NotRegexp(t, replayed, said[6].out, "the first request")
	require.Regexp(t, replayed, said[6+len(lines)].out, "the same request")
}

// The long tour is pasted once, block by block, in its order; no command of it fails.
func TestTheTourIsPasted(t *testing.T) {
	blocks := shellBlocks(t, "docs/tour.md")
	require.Greater(t, len(blocks), 15)
	server, err := fresh()
	require.NoError(t, err)
	rang := false
	for _, s := range paste(t, checkout(t, server), blocks) {
		rang = rang || regexp.MustCompile(`Bot-disconnected(?s:.*)Incoming call\nterminated`).MatchString(s.out)
		require.Zero(t, s.code, "%s\n%s", s.text, s.out)
		require.NotContains(t, s.out, failedCommand, s.text)
		if answered := refused.FindString(s.out); answered != "" {
			require.Contains(t, s.text, "TENANT2_TOKEN", "refused: %s\n%s", s.text, s.out)
			require.Equal(t, 1, strings.Count(s.out, answered), "%s\n%s", s.text, s.out)
		}
	}
	require.True(t, rang, "a telephone rang, and the agent hung up")
}

// refused is how the API says no, in each of its forms.
var refused = regexp.MustCompile(`"success":false|"error":\{|"errors":\[\{`)

// checkout is a folder as make run leaves it: bin/parley is built, and .data is of the server.
func checkout(t *testing.T, s Server) string {
	t.Helper()
	program, err := binary()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.Symlink(program, filepath.Join(dir, "bin", "parley")))
	require.NoError(t, os.Symlink(s.Data, filepath.Join(dir, ".data")))
	for _, folder := range []string{"examples", "docs"} {
		require.NoError(t, os.Symlink(filepath.Join(repository, folder), filepath.Join(dir, folder)))
	}
	return dir
}

var shellBlock = regexp.MustCompile("(?ms)^( *)```bash\n(.*?)^ *```$")

// shellBlocks are the blocks of a page that are there to be pasted, without what they are indented by in a list.
func shellBlocks(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, page))
	require.NoError(t, err)
	require.NotRegexp(t, "(?m)^ *```$\n *(?:curl|bin/parley|\\. )", string(text), "%s: commands belong into a block ```bash", page)
	var out []string
	for _, m := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		out = append(out, strings.ReplaceAll("\n"+m[2], "\n"+m[1], "\n")[1:])
	}
	return out
}

// pasted is what was pasted at once, and what it did.
type pasted struct {
	text, out string
	code      int
}

const (
	endOfPiece    = "@@end"
	failedCommand = "@@failed"
)

// paste gives the pieces to one bash that reads them from its standard input, as a terminal
// would, and tells them apart by a mark behind each. A command that fails where nobody asks
// whether it does is marked as well.
func paste(t *testing.T, dir string, pieces []string) []pasted {
	t.Helper()
	var script strings.Builder
	fmt.Fprintf(&script, "set -E; trap 'echo \"%s: $BASH_COMMAND\"' ERR\n", failedCommand)
	for _, piece := range pieces {
		fmt.Fprintf(&script, "%s\nprintf '\\n%s %%d\\n' $?\n", strings.TrimRight(piece, "\n"), endOfPiece)
	}
	cmd := exec.Command("bash", "--norc", "--noprofile")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(script.String())
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8", "TZ=UTC"}
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	var out []pasted
	rest := string(said)
	for _, piece := range pieces {
		text, after, found := strings.Cut(rest, "\n"+endOfPiece+" ")
		require.True(t, found, "nothing came back of\n%s\n%s", piece, rest)
		p := pasted{text: piece, out: text}
		code, next, _ := strings.Cut(after, "\n")
		_, err := fmt.Sscan(code, &p.code)
		require.NoError(t, err, code)
		out, rest = append(out, p), next
	}
	return out
}
