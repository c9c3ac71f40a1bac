package channels

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/connections"
)

// elsewhere are kinds that have no adapter, as no provider stands behind them: the test, from the root,
// that speaks with what answers their clients.
var elsewhere = map[string]string{
	"web_chat": "cmd/parley/node/web_chat_test.go", "ag_ui": "cmd/parley/node/ag_ui_test.go", "a2a": "cmd/parley/node/agent_to_agent_test.go",
	"http": "cmd/parley/node/channel_doors_test.go", "api": "cmd/parley/node/channel_doors_test.go",
}

// Given the table of kinds, then each has an adapter, whose package runs the conformance suite, or a
// test of what answers its clients; and a line in the how-to.
func TestEveryKindOfConnectionsIsBuilt(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/add-a-channel.md")
	require.NoError(t, err)
	list, err := os.ReadFile("channels.go")
	require.NoError(t, err)
	for _, kind := range connections.Slugs() {
		test, is := elsewhere[kind]
		assert.NotEqual(t, is, slices.Contains(Kinds(), kind), "%s: it has an adapter in adapters/channels/channels.go, or stands in elsewhere",
			kind)
		assert.Contains(t, string(page), "| `"+kind+"` |", "%s: it has a line in the table of docs/how-to/add-a-channel.md", kind)
		if is {
			assert.FileExists(t, filepath.Join("../..", test), kind)
			continue
		}
		assert.True(t, conforms(t, folderOf(t, string(list), kind)), "%s: the package of its adapter calls channelstest.Run in a test", kind)
	}
}

// Given an adapter, then connections can be of its kind: sms alone is not connected, it is the server's own.
func TestEveryAdapterHasAKindOfConnections(t *testing.T) {
	for _, kind := range Kinds() {
		assert.True(t, kind == "sms" || slices.Contains(connections.Slugs(), kind),
			"%s: it has an adapter and no line in the table of domain/connections/kinds.go, so that no connection can be made of it", kind)
	}
}

// Given the table of kinds, then a stranger finds how each is connected, and every credential that it has.
func TestEveryKindSaysHowItIsConnected(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/connect-a-channel.md")
	require.NoError(t, err)
	for _, slug := range connections.Slugs() {
		_, row, found := strings.Cut(string(page), "\n| `"+slug+"` |")
		require.True(t, found, "%s: it has a row in docs/how-to/connect-a-channel.md", slug)
		row, _, _ = strings.Cut(row, "\n")
		kind, _ := connections.KindOf(slug)
		has, _ := kind.CredentialNames()
		for _, name := range has {
			assert.Contains(t, row, "`"+name+"`", "%s: its row names the credential", slug)
		}
		for _, said := range named.FindAllStringSubmatch(strings.Split(row, "|")[1], -1) {
			assert.Contains(t, has, said[1], "%s: its row names a credential that it does not have", slug)
		}
	}
}

var named = regexp.MustCompile("`([a-zA-Z]+)`")

var imported = regexp.MustCompile(`(?m)^\s*(?:(\w+) )?"github\.com/parley-platform/parley/adapters/channels/(\w+)"`)

// folderOf is the package that the line of a kind makes its adapter with.
func folderOf(t *testing.T, list, kind string) string {
	t.Helper()
	_, line, found := strings.Cut(list, `"`+kind+`":`)
	require.True(t, found, kind)
	line, _, _ = strings.Cut(line, "\n")
	_, call, found := strings.Cut(line, "return ")
	require.True(t, found, "%s: %s", kind, line)
	name, _, _ := strings.Cut(call, ".")
	for _, m := range imported.FindAllStringSubmatch(list, -1) {
		if m[1] == name || m[1] == "" && m[2] == name {
			return m[2]
		}
	}
	return name
}

func conforms(t *testing.T, folder string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Contains(string(data), "channelstest.Run(t, ")
	})
}
