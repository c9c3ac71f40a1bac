package kafkatest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheVersionIsThatOfThePOM(t *testing.T) {
	require.Regexp(t, regexp.MustCompile(`^4\.\d+\.\d+$`), Version())
	require.Equal(t, "apache/kafka:"+Version(), image())
}

func TestJavaVersionsAreRead(t *testing.T) {
	for out, want := range map[string]int{
		`openjdk version "17.0.15" 2025-04-15`:      17,
		`java version "1.8.0_402"`:                  8,
		`openjdk version "25" 2025-09-16`:           25,
		`bash: java: command not found`:             0,
		"Picked up X\nopenjdk version \"21.0.1\"\n": 21,
	} {
		require.Equal(t, want, javaVersion(out), out)
	}
}

// Given a machine without Java, or without Maven and jars, then the error says what to do.
func TestWhatLacksIsSaid(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	t.Setenv("JAVA_HOME", "")
	t.Setenv("XDG_CACHE_HOME", empty)
	_, err := java(t.Context())
	require.ErrorContains(t, err, "scripts/prerequisites.sh java maven")
	_, err = jars(t.Context(), io.Discard)
	require.ErrorContains(t, err, "scripts/prerequisites.sh java maven")

	t.Setenv("JAVA_HOME", empty)
	require.NoError(t, os.MkdirAll(filepath.Join(empty, "bin"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(empty, "bin", "java"), []byte("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n"), 0o755))
	_, err = java(t.Context())
	require.ErrorContains(t, err, "is Java 11")
}

func TestAClusterThatCannotBe(t *testing.T) {
	_, err := StartCluster(t.Context(), Options{Brokers: 2})
	require.ErrorContains(t, err, "1 or 3")
}

// A cluster that is somebody else's is never hurt.
func TestFaultsAreForOurOwnBrokers(t *testing.T) {
	c := &Cluster{addresses: split(" a:1, b:2 ,")}
	require.Equal(t, []string{"a:1", "b:2"}, c.Addresses())
	require.False(t, c.Ours())
	for _, fault := range []func(int) error{c.Kill, c.Stop, c.Pause, c.Resume, func(i int) error {
		return c.Restart(context.Background(),
			i)
	}} {
		require.ErrorIs(t, fault(0), ErrNotOurs)
	}
	require.NoError(t, c.Close())
}

// Three brokers: the controller is a process of its own, and its voters are alone.
func TestThreeBrokersHaveAControllerOfTheirOwn(t *testing.T) {
	brokers, controller := plan(Options{Brokers: 3, Dir: "/d"}, []int{1, 2, 3, 4})
	require.Len(t, brokers, 3)
	require.Zero(t, controller.broker)
	for i, b := range brokers {
		text := string(b.properties(Options{Brokers: 3, Settings: map[string]string{"replica.lag.time.max.ms": "7"}}, controller))
		require.Equal(t, NodeID(i), b.id)
		require.Contains(t, text, "process.roles=broker\n")
		require.Contains(t, text, "controller.quorum.voters=100@127.0.0.1:4\n")
		require.Contains(t, text, "replica.lag.time.max.ms=7\n", "what the caller sets wins")
	}
	one, same := plan(Options{Brokers: 1, Dir: "/d"}, []int{1, 2})
	require.Equal(t, one[0], same)
	require.Contains(t, string(same.properties(Options{Brokers: 1}, same)), "process.roles=broker,controller\n")
}
