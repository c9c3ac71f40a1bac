package house

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// mostFiles is how many files of code a folder may hold: what one sees at a glance.
const mostFiles = 25

func TestNoRoomIsTooFull(t *testing.T) {
	all := folders(t)
	for _, folder := range sorted(all) {
		files := len(all[folder])
		assert.LessOrEqual(t, files, mostFiles, "%s holds %d files of code: move what belongs together into folders of its own", folder, files)
	}
}

// The words that name no idea may not name a package or a file.
func TestNamesNameIdeas(t *testing.T) {
	for _, file := range tracked(t, "*.go") {
		for _, name := range []string{strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".go"), "_test"), path.Base(path.Dir(file))} {
			assert.False(t, slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "manager", "misc", "types"}, name),
				"%s: name it after what it is about", file)
		}
	}
}

func TestNoFileIsTooLongToRead(t *testing.T) {
	const most = 500
	for _, s := range code(t) {
		assert.LessOrEqual(t, strings.Count(document(t, s.file), "\n"), most, "%s has more than %d lines: split it by idea", s.file, most)
	}
}
