package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// edit is how a build differs from the source: texts of one file, each of which must be there
// exactly once, and what is in their place; or a file that the source does not have.
type edit struct {
	File  string // from the root of the module
	Texts [][2]string
	Whole string // of a file that is added
}

// errMoved says that the source has changed under an ablation.
var errMoved = errors.New("the text that the build replaces must be in the file exactly once; the source has moved on, so bring the " +
	"edit up to date")

// buildChanged builds parley with edits: the changed copies are laid over the files (go build
// -overlay), and the source itself has no switches.
func buildChanged(ctx context.Context, source, dir, name string, edits ...edit) (string, error) {
	replace := map[string]string{}
	for i, e := range edits {
		changed, err := e.change(source, dir, fmt.Sprintf("%s-%d-", name, i))
		if err != nil {
			return "", err
		}
		file, err := filepath.Abs(filepath.Join(source, e.File))
		if err != nil {
			return "", err
		}
		replace[file] = changed
	}
	overlay := filepath.Join(dir, name+".overlay.json")
	if err := writeJSON(overlay, map[string]any{"Replace": replace}); err != nil {
		return "", err
	}
	return build(ctx, dir, name, "-overlay", overlay)
}

// change writes the changed copy of the file, and gives where it is.
func (e edit) change(source, dir, prefix string) (string, error) {
	changed := filepath.Join(dir, prefix+filepath.Base(e.File))
	text := e.Whole
	if text == "" {
		was, err := os.ReadFile(filepath.Join(source, e.File))
		if err != nil {
			return "", err
		}
		text = string(was)
	}
	for _, t := range e.Texts {
		if strings.Count(text, t[0]) != 1 {
			return "", fmt.Errorf("%s: %w", e.File, errMoved)
		}
		text = strings.Replace(text, t[0], t[1], 1)
	}
	return changed, os.WriteFile(changed, []byte(text), 0o644)
}

func (a ablation) edit() edit { return edit{File: a.File, Texts: [][2]string{{a.Old, a.New}}} }
