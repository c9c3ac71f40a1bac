package house

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var namedCheck = regexp.MustCompile(`"([a-z][^"|]+)"`)

// What docs/channels-bad-days.md says that every adapter is tried for, it is.
func TestBadDaysOfEveryAdapterAreTried(t *testing.T) {
	var checks strings.Builder
	for _, file := range tracked(t, "adapters/channels/channelstest/*.go") {
		checks.WriteString(document(t, file))
	}
	found := namedCheck.FindAllStringSubmatch(document(t, "docs/channels-bad-days.md"), -1)
	require.NotEmpty(t, found)
	for _, m := range found {
		require.Contains(t, checks.String(), `{"`+m[1]+`"`)
	}
}
