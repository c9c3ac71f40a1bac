package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// ApplyCmd sends manifests to a node, which makes what they say.
type ApplyCmd struct {
	File   []string `short:"f" help:"File of manifests: YAML with any number of documents, or JSON; a folder stands for the files in it, - for standard input. All files are one set: if anything in it is wrong, nothing is applied." placeholder:"FILE"`
	More   []string `arg:"" optional:"" name:"file" help:"More files, as from -f *.yaml."`
	DryRun bool     `help:"Change nothing; show what would happen, with the events."`
	Prune  bool     `help:"Then remove what was applied earlier and these files do not name any more, in each tenant whose Tenant manifest is among them. They must be all of such a tenant; try it with --dry-run first."`
	api.Flags
	Show show.Flags `embed:""`
}

// Run reads, sends, and tells what became of each manifest.
func (c *ApplyCmd) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	return c.run(ctx, os.Stdin, os.Stdout, os.Stderr)
}

func (c *ApplyCmd) run(ctx context.Context, in io.Reader, out, progress io.Writer) error {
	manifests, err := readManifests(append(slices.Clone(c.File), c.More...), in)
	if err != nil {
		return err
	}
	client, err := c.Client(applying)
	if err != nil {
		return err
	}
	done := showProgress(progress, len(manifests))
	answer, err := applySet(ctx, client, wanted{manifests, c.DryRun, c.Prune})
	done()
	if err != nil {
		return err
	}
	if c.Show.Output == show.JSON {
		return answer.objects(show.To(out, c.Show))
	}
	answer.print(out, c.Prune)
	return nil
}

// readManifests reads all files before anything is said about any of them.
func readManifests(names []string, in io.Reader) ([]manifest.Manifest, error) {
	files, err := expand(names)
	if err != nil {
		return nil, err
	}
	var all []manifest.Manifest
	var faults manifest.Faults
	for _, file := range files {
		data, err := readFile(file, in)
		if err != nil {
			return nil, err
		}
		manifests, err := manifest.Parse(file, data, apply.Kinds())
		var wrong manifest.Faults
		if err != nil && !errors.As(err, &wrong) {
			return nil, err
		}
		all, faults = append(all, manifests...), append(faults, wrong...)
	}
	if len(faults) > 0 {
		return nil, faulty(faults)
	}
	if len(all) == 0 {
		return nil, exit.Wrongf("there is no manifest in %s: a manifest is a map with kind, metadata and spec", strings.Join(files, ", "))
	}
	return all, nil
}

func readFile(file string, in io.Reader) ([]byte, error) {
	if file == "-" {
		data, err := io.ReadAll(io.LimitReader(in, manifest.MaxFile+1))
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading manifests: %w", err)
	}
	return data, nil
}

// expand puts the files of a folder in its place, in the order of their names.
func expand(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, exit.Wrongf("which manifests? Name them with -f FILE, for example: parley apply -f examples/workspace.yaml")
	}
	var files []string
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			files = append(files, name)
			continue
		}
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, fmt.Errorf("reading manifests: %w", err)
		}
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, ext) {
				files = append(files, filepath.Join(name, e.Name()))
			}
		}
	}
	if len(files) == 0 {
		return nil, exit.Wrongf("there is no .yaml, .yml or .json file in %s", strings.Join(names, ", "))
	}
	return files, nil
}

// faulty is the refusal of a set, a line for each fault.
func faulty(faults manifest.Faults) error {
	noun := "1 fault"
	if len(faults) != 1 {
		noun = fmt.Sprintf("%d faults", len(faults))
	}
	return exit.Wrongf("nothing was applied, there is something wrong (%s):\n%s\nCorrect this and apply again; docs/schemas/manifests "+
		"describes each kind", noun, faults)
}

// many manifests take long enough to want a sign of life.
const many = 20

// showProgress turns a wheel on a terminal until the returned function is called.
func showProgress(w io.Writer, manifests int) func() {
	if f, ok := w.(*os.File); !ok || manifests < many || !show.IsTerminal(f) {
		return func() {}
	}
	bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionSpinnerType(14), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription(fmt.Sprintf("applying %d manifests", manifests)))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				_ = bar.Finish()
				return
			case <-tick.C:
				_ = bar.Add(1)
			}
		}
	}()
	return func() { close(stop); <-stopped }
}
