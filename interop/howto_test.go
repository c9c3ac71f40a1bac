//go:build interop

package interop

import (
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What stands in the pages of docs/how-to, and in that on permissions, in a block ```bash can be pasted behind `. .data/dev.env`,
// with make run in another terminal: no command fails, and none is refused.
// One page comes behind the other: one erases whom another one is about. Each run has a server of its own, at the speed of
// life, as what is connected once cannot be connected again.
func TestTheHowToPagesArePasted(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join(repository, "docs/how-to/*.md"))
	require.NoError(t, err)
	pages = append(pages, filepath.Join(repository, "docs/permissions.md"))
	server, err := start("how-to-"+rand.Text(), "--sim-speed", "1")
	require.NoError(t, err)
	found := 0
	for _, page := range pages {
		page = strings.TrimPrefix(page, repository+"/")
		blocks := shellBlocks(t, page)
		if len(blocks) == 0 {
			continue
		}
		found++
		t.Run(filepath.Base(page), func(t *testing.T) {
			for _, s := range paste(t, checkout(t, server), append([]string{". .data/dev.env"}, blocks...)) {
				require.Zero(t, s.code, "%s\n%s", s.text, s.out)
				require.NotContains(t, s.out, failedCommand, s.text)
				require.NotRegexp(t, refused, s.out, s.text)
			}
		})
	}
	require.GreaterOrEqual(t, found, 11, "pages with something to paste")
}
