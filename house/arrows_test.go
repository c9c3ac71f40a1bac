package house

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// may says which of our own packages each part may import (docs/architecture.md "The house"):
// arrows run one way. Tests may import anything.
var may = map[string][]string{
	"domain":        {"domain"},
	"eventstore":    {"eventstore", "domain/event", "domain/fault"},
	"projections":   {"projections", "domain", "eventstore"},
	"handlers":      {"handlers", "projections", "eventstore", "domain"},
	"handlers/acts": {"handlers/acts", "projections", "eventstore", "domain"},
	"adapters":      {"adapters", "eventstore", "domain"},
	"migrations":    {},
	"consumer":      {"eventstore", "adapters/kafka", "adapters/vault", "domain"},
	"examples":      {"consumer", "domain"},
	"cmd":           {"cmd", "handlers", "projections", "eventstore", "domain", "adapters", "consumer", "migrations", "examples"},
	"interop":       {},
	"house":         {},
}

func TestArrowsRunOneWay(t *testing.T) {
	arrows := 0
	for _, s := range code(t) {
		part := partOf(s.folder)
		allowed, known := may[part]
		require.True(t, known, "%s is in no part of the house: give it a room in CONTRIBUTING, Layout, or move it", s.file)
		for _, imported := range s.ours() {
			arrows++
			if forTests(s.folder) {
				continue
			}
			assert.False(t, forTests(imported) && !within(s.folder, []string{"cmd/chaos"}), "%s must not import %s: that is for tests", s.file,
				imported)
			assert.True(t, within(imported, allowed), "%s must not import %s: %s may import only %v", s.file, imported, part, allowed)
		}
	}
	require.NotZero(t, arrows)
}

// partOf is the part of the house that a folder is in: the innermost that has a line of
// its own, as handlers/acts has within handlers.
func partOf(folder string) string {
	for part := folder; ; {
		if _, known := may[part]; known {
			return part
		}
		cut := strings.LastIndex(part, "/")
		if cut < 0 {
			return part
		}
		part = part[:cut]
	}
}

// forTests says of a folder whose name ends with test, such as kafkatest, that tests share
// what is in it: it may import anything, as they may, and nobody else imports it.
func forTests(folder string) bool {
	for part := range strings.SplitSeq(folder, "/") {
		if strings.HasSuffix(part, "test") {
			return true
		}
	}
	return false
}

// What is forbidden is found: the test of the arrows could otherwise never fail.
func TestArrowsTheOtherWayAreSeen(t *testing.T) {
	require.True(t, within("domain/event", may["eventstore"]))
	require.True(t, within("domain/calls", may["domain"]))
	require.False(t, within("domain/calls", may["eventstore"]))
	require.False(t, within("domainish", may["domain"]))
	require.False(t, within("adapters/kafka", may["handlers"]))
	require.Equal(t, "handlers/acts", partOf("handlers/acts"))
	require.Equal(t, "handlers", partOf("handlers/rest/voice"))
	require.True(t, within("handlers/acts", may[partOf("handlers/rest/voice")]))
	require.False(t, within("handlers/rest", may[partOf("handlers/acts")]))
	require.False(t, within("handlers/reactors", may[partOf("handlers/acts")]))
}

func within(path string, allowed []string) bool {
	for _, a := range allowed {
		if path == a || strings.HasPrefix(path, a+"/") {
			return true
		}
	}
	return false
}
