package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The text that an ablation replaces is in the source exactly once, so that a change
// of the source there is noticed here and not first by make chaos.
func TestAblationsFitTheSource(t *testing.T) {
	for _, a := range all() {
		changed, err := a.edit().change("../..", t.TempDir(), "")
		require.NoError(t, err, "%s", a.Name)
		text, err := os.ReadFile(changed)
		require.NoError(t, err)
		require.Contains(t, string(text), a.New)
		require.NotEmpty(t, a.Expect, "%s: which check finds it?", a.Name)
		require.NotEmpty(t, append(a.Plan, a.Turns...), "%s: which faults show it?", a.Name)
	}
}

// So are the texts that let the crash matrix hold a build at each commit.
func TestTheBuildOfTheMatrixFitsTheSource(t *testing.T) {
	for _, e := range asking() {
		_, err := e.change("../..", t.TempDir(), "")
		require.NoError(t, err)
	}
}

func TestAblationThatFitsNoMoreIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f.go"), []byte("twice twice"), 0o600))
	for _, old := range []string{"twice", "never"} {
		_, err := ablation{Name: "x", File: "f.go", Old: old}.edit().change(dir, dir, "")
		require.ErrorIs(t, err, errMoved)
	}
}

func TestFailedRoundSaysHowToRunItAgain(t *testing.T) {
	c := &RunCmd{Faults: []string{"kill-node"}, Short: true}
	again := c.tell(&Result{Seed: 42, Turn: 3, Parts: "apache"}, nil)
	for _, part := range []string{"make chaos", "--seed 42", "--rounds 1", "--turn 3", "--parts apache", "--short", "--faults kill-node"} {
		require.True(t, strings.Contains(again, part), "%s lacks %s", again, part)
	}
}
