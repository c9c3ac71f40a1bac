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
	groups = []string{"access", "platform", "voice", "contactcenter", "campaigns", "reporting", "audit", "runtime", "channels"}
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
