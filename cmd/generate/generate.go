package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	nodeslices "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/cmd/parley/version"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/rest"
)

// Command writes what is generated from the code into the project's folder.
type Command struct {
	Check    bool   `help:"Write nothing; fail if a committed file differs from what the code gives."`
	Breaking string `help:"Write an OpenAPI document that breaks callers, for this reason." placeholder:"REASON"`
	Dir      string `help:"The project's folder." default:"." placeholder:"DIR"`
}

// Run makes the files, and writes or compares them.
func (c *Command) Run() error {
	files, err := c.files()
	if err != nil {
		return err
	}
	return c.put(files)
}

// put writes or compares; what others rely on must hold.
func (c *Command) put(files map[string][]byte) error {
	if err := c.compare(files); err != nil {
		return err
	}
	var stale []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(c.Dir, name)
		have, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if bytes.Equal(unpacked(have), unpacked(files[name])) {
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
		return fmt.Errorf("these files differ from what the code gives: %v; run: go run ./cmd/generate", stale)
	}
	return nil
}

// compare refuses what would break those who rely on the files as they are now.
func (c *Command) compare(files map[string][]byte) error {
	events, err := c.eventsBroken(files)
	if err != nil {
		return err
	}
	if len(events) > 0 { // there is no way around: the log is never rewritten
		return fmt.Errorf("events that are on the log would not be what their schemas say:\n%s\n(for an event that no log holds yet, because "+
			"it was never released: remove its file in %s first)", strings.Join(events, "\n"), eventSchemaFolder)
	}
	old, err := os.ReadFile(filepath.Join(c.Dir, openAPIFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the OpenAPI document on disk: %w", err)
	}
	api, err := openAPIChanges(old, files[openAPIFile])
	if err != nil || len(api) == 0 {
		return err
	}
	if c.Breaking == "" {
		return fmt.Errorf("callers of the API would break:\n%s\nkeep what they use, or say why they must follow: "+
			"go run ./cmd/generate --breaking REASON", strings.Join(api, "\n"))
	}
	fmt.Printf("breaks callers, because %s:\n%s\n", c.Breaking, strings.Join(api, "\n"))
	return nil
}

// eventsBroken compares the schemas on disk with the generated ones.
func (c *Command) eventsBroken(files map[string][]byte) (broken []string, err error) {
	on, err := filepath.Glob(filepath.Join(c.Dir, eventSchemaFolder, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("listing the event schemas: %w", err)
	}
	for _, path := range on {
		ceType := strings.TrimSuffix(filepath.Base(path), ".json")
		fresh, ok := files[eventSchemaFolder+ceType+".json"]
		if !ok {
			broken = append(broken, eventGone(ceType))
			continue
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading an event schema: %w", err)
		}
		changes, err := eventChanges(ceType, old, fresh)
		if err != nil {
			return nil, err
		}
		broken = append(broken, changes...)
	}
	return broken, nil
}

const (
	openAPIFile    = "docs/openapi.json"
	asyncAPIFile   = "docs/asyncapi.json"
	servedAsyncAPI = "handlers/rest/reference/asyncapi.json.gz" // the same, as nodes serve it
)

// files are all generated files by their name in the project.
func (c *Command) files() (map[string][]byte, error) {
	src, err := readSources(c.Dir)
	if err != nil {
		return nil, err
	}
	catalogue, err1 := eventCatalogue(src, catalog.Categories())
	files, err2 := eventSchemas(src, catalog.Categories())
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	async, err := asyncAPI(src, catalog.Categories(), files)
	if err != nil {
		return nil, err
	}
	openapi, err := nodeslices.Declare(rest.New(rest.Config{Version: version.Number}), nodeslices.Declared()).OpenAPI()
	if err != nil {
		return nil, fmt.Errorf("making the OpenAPI document: %w", err)
	}
	files[openAPIFile], files["docs/events.md"], files[asyncAPIFile] = append(bytes.TrimRight(openapi, "\n"), '\n'), catalogue, async
	if files[servedAsyncAPI], err = packed(async); err != nil {
		return nil, err
	}
	for kind, schema := range apply.Schemas() {
		files["docs/schemas/manifests/"+kind+".json"] = schema
	}
	return files, nil
}
