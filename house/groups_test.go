package house

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cores are the rooms with groups beside them, and groups the names that these have.
var (
	cores  = []string{"projections", "handlers/rest", "handlers/reactors"}
	groups = []string{"access", "platform", "voice", "contactcenter", "campaigns", "reporting", "audit", "privacy", "runtime", "channels"}
)

// A group can be read, moved and thought of by itself: it imports no other, and its core
// none of its groups. Of another room it may know any: a reactor asks read models.
func TestGroupsKnowNoOtherGroup(t *testing.T) {
	inGroups := 0
	for _, s := range code(t) {
		if forTests(s.folder) {
			continue
		}
		core, group := roomOf(s.folder)
		if group != "" {
			inGroups++
		}
		for _, imported := range s.ours() {
			itsCore, its := roomOf(imported)
			if its == "" || itsCore != core {
				continue
			}
			assert.Equal(t, group, its, "%s must not import %s: what two groups need lies in %s or in the domain", s.file, imported, core)
		}
	}
	require.NotZero(t, inGroups)
}

// A group that is not among them would be taken for a part of its core, which every other may know.
func TestTheGroupsAreThoseOfTheSlices(t *testing.T) {
	brought, page := map[string]bool{}, document(t, "docs/architecture.md")
	for _, s := range folders(t)["cmd/parley/slices"] {
		for _, name := range named(s) {
			folder, what, _ := strings.Cut(name, ".")
			core, group := roomOf(folder)
			own := strings.HasPrefix(what, "Declare") || strings.HasSuffix(what, "Model")
			if own && core != "" && folder != core {
				assert.NotEmpty(t, group, "%s brings %s to a node: add it to groups in house/groups_test.go", folder, what)
				brought[group] = true
				_, listed, _ := strings.Cut(page, "| `"+core+"/{")
				listed, _, _ = strings.Cut(listed, "}")
				assert.Contains(t, strings.Split(listed, ","), group, "docs/architecture.md \"The house\" lacks %s/%s", core, group)
			}
		}
	}
	for _, group := range groups {
		assert.True(t, brought[group], "no slice has operations or read models of the group %s", group)
	}
}

// roomOf is the core that a folder belongs to, and its group there; empty: it is the core's own.
func roomOf(folder string) (core, group string) {
	for _, c := range cores {
		if !within(folder, []string{c}) {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(folder, c), "/"), "/")
		if !slices.Contains(groups, name) {
			return c, ""
		}
		return c, name
	}
	return "", ""
}

func TestGroupsAreTold(t *testing.T) {
	for folder, want := range map[string][2]string{"handlers/rest": {"handlers/rest", ""}, "handlers/rest/voice": {"handlers/rest", "voice"},
		"handlers/rest/tokens": {"handlers/rest", ""}, "projections/channels/inbox": {"projections", "channels"}, "domain/calls": {"", ""}} {
		core, group := roomOf(folder)
		require.Equal(t, want, [2]string{core, group}, folder)
	}
}
