//go:build !apache

package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
)

// Given a node that copies what counts opened, when somebody is called, then the copies say
// who, and name no key, while the log does not.
func TestCopiesAreOpenedWhereThatIsWanted(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, func(c *node.Config) { c.AcceptedTopics, c.AcceptedOpen = true, 24*time.Hour })
	w.ended(t, w.dialOut(t, aCall().and(fields{"metadata": fields{"CustomerFirstName": "Annabelle"}})).CallID)
	var requested []string // the event, and its copy
	until(t, "the copy of the call", func() bool {
		requested = nil
		for line := range strings.Lines(everyRecord(t, w.cluster.brokers)) {
			if strings.Contains(line, "ce_type=parley.calls.requested.v1") {
				requested = append(requested, line)
			}
		}
		return len(requested) == 2
	})
	for _, line := range requested {
		copied := strings.HasPrefix(line, "parley.calls.accepted ")
		require.Equal(t, copied, strings.Contains(line, "Annabelle"), line)
		require.Equal(t, copied, !strings.Contains(line, "ce_keyid="), line)
	}
}
