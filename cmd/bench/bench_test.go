package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/cmd/parley/connect"
)

// A log that somebody needs is not measured on, and a server that is not there is said
// before anything is measured.
func TestBenchRefusesBeforeItMeasures(t *testing.T) {
	used := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(used, "node-id"), []byte("node-1\n"), 0o600))
	for want, c := range map[string]Command{
		used + " is not empty":  {Data: used},
		"--parley: the server":  {Events: 1, Parley: filepath.Join(used, "parley")},
		"make build":            {Events: 1, Parley: filepath.Join(used, "parley")},
		"--kafka-password-file": {Clients: []int{1}, KafkaFlags: connect.KafkaFlags{KafkaSASL: "PLAIN"}},
	} {
		require.ErrorContains(t, c.Run(), want)
	}
}

func TestFiguresStandBesideTheirCeiling(t *testing.T) {
	raw := figure{Name: "raw produce", Clients: 256, Rate: 200, P50: 1}
	f := figure{Name: "command to visible", Clients: 256, Rate: 80}.of(raw)
	require.InDelta(t, 0.4, f.Ratio, 1e-9)
	require.Equal(t, "raw produce", f.Ceiling)
	require.True(t, *visibleAim(f, raw, false).Met)
	f.Ratio = 0.39
	require.False(t, *visibleAim(f, raw, false).Met)
	require.Nil(t, visibleAim(f, raw, true).Met, "a real broker is asked for another figure, with one client")
	alone := figure{Clients: 1, P50: 5.1}
	require.False(t, *visibleAim(alone, raw, true).Met, "two round trips of 1 ms, and 3 ms")
}

// Given calls over sockets, then those are counted that were at once, what they sent, and how late rounds were.
func TestCallsOverSocketsAreMeasured(t *testing.T) {
	c := Command{For: 200 * time.Millisecond}
	f, err := c.talks(echoed, func() (mouth, error) { return &silent{}, nil })
	require.NoError(t, err)
	require.Equal(t, carriedAt, f.Clients)
	require.Positive(t, f.Rate)
	require.Positive(t, f.P99)
	require.Regexp(t, `^under 0\.5 % of [1-9][0-9]+ packets lost$`, f.Target)

	loud := make([]int16, 8_000)
	for i := range loud {
		loud[i] = int16(4_000 * (i % 2))
	}
	heard := &interrupts{spoken: loud, quiet: make(chan time.Duration, 1)}
	said := func(loud bool) {
		frame := make([]byte, voice.FrameSamples)
		voice.MuLaw.Encode(frame, make([]int16, voice.FrameSamples))
		if loud {
			frame[0] = 0
		}
		heard.receive(voice.Packet{Payload: frame})
	}
	said(true)
	said(false)
	require.Empty(t, heard.quiet, "a pause before anybody spoke is none")
	for range listens {
		heard.tick(time.Time{})
	}
	said(true)
	require.Empty(t, heard.quiet)
	said(false)
	require.Len(t, heard.quiet, 1)
}

func TestTimesComeWithTheirRate(t *testing.T) {
	figure, err := timed("nothing", time.Millisecond, 2, nothing, nothing)
	require.NoError(t, err)
	require.Positive(t, figure.Rate)
	require.LessOrEqual(t, figure.P50, figure.P95)
	require.LessOrEqual(t, figure.P95, figure.P99)
}

// A server's own ids grow with the time, those that callers choose do not.
func TestTheIdsOfAHistoryAreOfTheirKind(t *testing.T) {
	ordered, random := &loading{ordered: true}, &loading{}
	first, second := ordered.id(), ordered.id()
	require.Less(t, first, second)
	require.Equal(t, uuid.Version(7), uuid.MustParse(first).Version())
	require.Equal(t, uuid.Version(4), uuid.MustParse(random.id()).Version())
}

// Given less time than a turn takes, then one is measured all the same.
func TestTurnsAreMeasuredInNoTime(t *testing.T) {
	f := (&Command{For: time.Nanosecond}).paced(1)
	require.Equal(t, pacedLines, f.Name)
	require.GreaterOrEqual(t, f.Value, 0.0)
}

// Given what a server says on a socket, then its pings are answered, and nothing else is.
func TestIdleSocketsAnswerPings(t *testing.T) {
	server, client := net.Pipe()
	defer func() { _ = server.Close() }()
	go answersPings(client)
	for _, said := range [][]byte{append([]byte{0x81, 126, 0, 200}, make([]byte, 200)...), {0x81, 2, 'h', 'i'}, {0x89, 1, '7'}} {
		_, err := server.Write(said)
		require.NoError(t, err)
	}
	answer := make([]byte, 7)
	_, err := io.ReadFull(server, answer)
	require.NoError(t, err)
	require.Equal(t, []byte{0x8a, 0x81, 0, 0, 0, 0, '7'}, answer)
}
