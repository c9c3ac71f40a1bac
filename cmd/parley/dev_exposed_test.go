package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The development workspace leaves this machine only where somebody says so, as the image does.
func TestTheDevelopmentWorkspaceStaysHere(t *testing.T) {
	for _, c := range []struct {
		listen  string
		exposed bool
		refused bool
	}{
		{listen: "127.0.0.1:8080"}, {listen: "localhost:8080"}, {listen: "[::1]:8080"},
		{listen: "0.0.0.0:8080", refused: true}, {listen: ":8080", refused: true}, {listen: "10.1.2.3:8080", refused: true},
		{listen: "0.0.0.0:8080", exposed: true},
	} {
		err := (&ServeCmd{Dev: true, Listen: c.listen, DevExposed: c.exposed}).checkDev()
		require.Equal(t, c.refused, err != nil, "%s: %v", c.listen, err)
	}
	require.NoError(t, (&ServeCmd{Listen: "0.0.0.0:8080"}).checkDev(), "without --dev")
}

// Copies in which what is personal is opened are not kept for ever.
func TestOpenedCopiesAreKeptForATime(t *testing.T) {
	for _, c := range []struct {
		copies bool
		open   time.Duration
		says   string
	}{
		{copies: true}, {}, {copies: true, open: time.Hour}, {copies: true, open: 8760 * time.Hour},
		{open: time.Hour, says: "--accepted-topics"}, {copies: true, open: time.Minute, says: "1h to 8760h"},
		{copies: true, open: 8761 * time.Hour, says: "1h to 8760h"}, {copies: true, open: -time.Hour, says: "1h to 8760h"},
	} {
		err := (&ServeCmd{AcceptedTopics: c.copies, AcceptedOpen: c.open}).checkCopies()
		if c.says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.says)
	}
}
