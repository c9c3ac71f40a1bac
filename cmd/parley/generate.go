package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/rest"
)

// GenerateCmd writes what is generated from the code into the project's folder.
type GenerateCmd struct {
	Check bool   `help:"Write nothing; fail if a committed file differs from what the code gives."`
	Dir   string `help:"The project's folder." default:"." placeholder:"DIR"`
}

// Run writes or compares.
func (c *GenerateCmd) Run() error {
	files, err := c.files()
	if err != nil {
		return err
	}
	var stale []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(c.Dir, name)
		have, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if bytes.Equal(have, files[name]) {
			continue
		}
		if c.Check {
			stale = append(stale, name)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		fmt.Println("wrote", name)
	}
	if len(stale) > 0 {
		return fmt.Errorf("these files differ from what the code gives: %v; run: go run ./cmd/parley generate", stale)
	}
	return nil
}

// files are all generated files by their name in the project.
func (c *GenerateCmd) files() (map[string][]byte, error) {
	catalogue, err := eventCatalogue(c.Dir, catalog.Categories())
	if err != nil {
		return nil, err
	}
	openapi, err := rest.Services{}.Declare(rest.New(rest.Config{})).OpenAPI()
	if err != nil {
		return nil, fmt.Errorf("making the OpenAPI document: %w", err)
	}
	files := map[string][]byte{"docs/openapi.json": append(bytes.TrimRight(openapi, "\n"), '\n'), "docs/events.md": catalogue}
	for kind, schema := range apply.Schemas() {
		files["docs/schemas/manifests/"+kind+".json"] = schema
	}
	return files, nil
}
