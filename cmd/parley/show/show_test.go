package show

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"
)

var (
	heads = []string{"CALL", "STATUS", "TO", "WHEN", "DETECTED", "AGENT", "FROM"}
	rows  = func() [][]Cell {
		return [][]Cell{
			{{Text: "93af4dec-1f69-8af5-8ceb-a3343175cb09"}, {Text: "completed", Colour: Green}, {Text: "+15550000001"}, {Text: "02:58:47"},
				{Text: "human"}, {Text: "acme-support"}, {Text: "15550100"}},
			Of("0095727d-e66f-869b-9232-e0dc09cf00fa", "machineDetected", "+15550000009", "02:57:36", "", "a name of many words, very many", ""),
		}
	}
)

// tableOf prints the rows for a terminal of so many columns.
func tableOf(t *testing.T, width int) []string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, On(&out, width, false).Table(heads, rows()))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestATableFitsTheTerminal(t *testing.T) {
	require.Equal(t, []string{
		"CALL              STATUS           TO            WHEN      …",
		"93af4de…3175cb09  completed        +15550000001  02:58:47",
		"0095727…09cf00fa  machineDetected  +15550000009  02:57:36",
	}, tableOf(t, 60))
	require.Contains(t, tableOf(t, 80)[2], "+15550000009  02:57:36            a name of ma…")
	for width := 1; width < 130; width++ {
		lines := tableOf(t, width)
		require.Len(t, lines, 3, "nothing is wrapped")
		for _, line := range lines {
			require.LessOrEqual(t, uniseg.StringWidth(line), width, "%d columns: %q", width, line)
		}
	}
}

func TestWithoutATerminalEverythingIsWholeAndPlain(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	out := To(file, Flags{Output: Table})
	require.NoError(t, out.Table(heads, rows()))
	require.NoError(t, out.Line(Cell{"failed", Red}, Cell{strings.Repeat("long ", 60), Plain}))
	text, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.Contains(t, string(text), "93af4dec-1f69-8af5-8ceb-a3343175cb09  completed        +15550000001  02:58:47  human")
	require.Contains(t, string(text), strings.TrimSpace(strings.Repeat("long ", 60)))
	require.NotContains(t, string(text), "\x1b")
	require.NotContains(t, string(text), "…")
}

// A terminal gets colours and its width, unless whoever sits there wants none.
func TestATerminalIsAskedForWhatItTakes(t *testing.T) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Log("no terminals on this machine:", err)
		return
	}
	defer screen.Close()
	size := [4]uint16{24, 60}
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	require.Zero(t, failed)
	for _, c := range []struct {
		noColor, term string
		colours       bool
	}{{"", "xterm", true}, {"1", "xterm", false}, {"", "dumb", false}} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		out := To(screen, Flags{})
		require.Equal(t, 60, out.Width())
		require.Equal(t, c.colours, out.Paint("x", Red) != "x", "%+v", c)
	}
	require.True(t, IsTerminal(screen))
}

func TestColoursCostNoRoom(t *testing.T) {
	var plain, painted bytes.Buffer
	require.NoError(t, On(&plain, 70, false).Table(heads, rows()))
	require.NoError(t, On(&painted, 70, true).Table(heads, rows()))
	require.Contains(t, painted.String(), "\x1b[32mcompleted\x1b[0m")
	require.Contains(t, painted.String(), "\x1b[1mCALL\x1b[0m")
	stripped := strings.NewReplacer("\x1b[32m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[0m", "").Replace(painted.String())
	require.Equal(t, strings.Fields(plain.String()), strings.Fields(stripped))
}

// What is in a name or a text of somebody does not steer the terminal, nor begins lines.
func TestTextsOfOthersStayTexts(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, On(&out, 0, true).Table([]string{"NAME"}, [][]Cell{Of("a\x1b[2J\nb\rc\u202ed\u009bx")}))
	require.Equal(t, "\x1b[1mNAME\x1b[0m\na [2J b c d x\n", out.String())
	out.Reset()
	require.NoError(t, On(&out, 0, false).Pairs(Pair{Name: "text", Text: "a\nb"}, Pair{Name: "empty"}))
	require.Equal(t, "text  a b\n", out.String())
}

// What is told of one thing is broken at spaces, and an id stays whole to be copied.
func TestPairsGoOnBelowThemselves(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, On(&out, 30, false).Pairs(Pair{Name: "description", Text: "Calls customers whose contract ends"},
		Pair{Name: "id", Text: "93af4dec-1f69-8af5-8ceb-a3343175cb09"}, Pair{Name: "empty"}))
	require.Equal(t, "description  Calls customers\n             whose contract\n             ends\n"+
		"id           93af4dec-1f69-8af5-8ceb-a3343175cb09\n", out.String())
	require.Equal(t, []string{"a  b"}, wrap("a  b", 0), "no terminal: as it is")
	require.Equal(t, []string{""}, wrap("", 5))
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"}, {"0123456789", 7, "012…789"}, {"words of a text", 7, "words …"}, {"0123456789", 4, "012…"},
		{"0123456789", 1, "…"}, {"0123456789", 0, ""}, {"日本語日本語", 7, "日…語"}, {"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 5,
			"e\u0301e\u0301…e\u0301e\u0301"}, {"", 3, ""},
	} {
		require.Equal(t, c.want, Shorten(c.text, c.width), "%q in %d", c.text, c.width)
	}
}

func TestObjectsAreLines(t *testing.T) {
	var out bytes.Buffer
	o := To(&out, Flags{Output: JSON})
	require.True(t, o.JSON())
	require.NoError(t, o.Object(map[string]string{"a": "<&>\n"}))
	require.NoError(t, o.Raw([]byte("{\"b\":\n  1}")))
	require.ErrorContains(t, o.Raw([]byte("{")), "no JSON")
	require.Equal(t, "{\"a\":\"<&>\\n\"}\n{\"b\":1}\n", out.String())
}

func TestAMomentIsShownAsPeopleReadIt(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.Local)
	require.Equal(t, "11:59:30", Clock(now.Add(-30*time.Second), now))
	require.Equal(t, "2026-11-21", Clock(now.Add(-48*time.Hour), now))
	require.Equal(t, "2026-11-24", Clock(now.Add(24*time.Hour), now))
	require.Empty(t, Clock(time.Time{}, now))
	require.Equal(t, "2026-11-23 12:00:00", Time(now))
}
