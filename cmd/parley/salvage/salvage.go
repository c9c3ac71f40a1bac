// Package salvage copies what is whole of a damaged node's folder into a new one. It never
// writes to the damaged one.
package salvage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"github.com/parley-platform/parley/adapters/embedded/logfolder"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/domain/catalog"
)

// Command makes a new data folder of a damaged one.
type Command struct {
	Data string     `help:"Folder of the node whose log is damaged. It is only read." default:".data" placeholder:"DIR"`
	To   string     `help:"New folder; it must not exist." required:"" placeholder:"DIR"`
	Show show.Flags `embed:""`
}

// Help says when to use it.
func (Command) Help() string {
	return `For a log that is refused as damaged and of which there is no backup. Stop the node first. The new folder has the
log's whole batches at their old offsets, keys and files, but not the read models: they are built anew at the next
start. It is another log, under a new id. What is missing is listed: read it, since events that are lost did happen.

Examples:
  parley log salvage --data .data --to .data-salvaged
  parley serve --data .data-salvaged`
}

// Run copies and reports.
func (c *Command) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	if err := c.check(); err != nil {
		return exit.Wrongf("%s", err)
	}
	for _, dir := range []string{c.Data, filepath.Join(c.Data, "kafka")} {
		release, err := datafolder.Look(dir)
		if err != nil {
			return err
		}
		defer release()
	}
	// Under another name until it is whole, so that half a copy is never started.
	unfinished := filepath.Clean(c.To) + ".unfinished"
	if err := os.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("removing what an earlier try left: %w", err)
	}
	out, err := c.copy(ctx, unfinished)
	if err != nil {
		return err
	}
	lost, err := commitsLost(ctx, filepath.Join(unfinished, "kafka"), out)
	if err != nil {
		return fmt.Errorf("reading the salvaged log: %w", err)
	}
	if err := os.Rename(unfinished, c.To); err != nil {
		return err
	}
	if c.Show.Output == show.JSON {
		return show.To(os.Stdout, c.Show).Object(reportOf(c.To, out, lost))
	}
	showSalvaged(os.Stdout, c.To, out, lost)
	return nil
}

func (c *Command) check() error {
	if _, err := os.Stat(filepath.Join(c.Data, "kafka")); err != nil {
		return fmt.Errorf("--data %s: there is no embedded log: %w", c.Data, err)
	}
	if _, err := os.Lstat(c.To); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--to %s: it exists; name a folder that does not", c.To)
	}
	from, err1 := filepath.Abs(c.Data)
	to, err2 := filepath.Abs(c.To)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if within, err := filepath.Rel(from, to); err == nil && within != ".." && !strings.HasPrefix(within, ".."+string(filepath.Separator)) {
		return fmt.Errorf("--to %s is inside --data %s, which is only read: name another place", c.To, c.Data)
	}
	return nil
}

// copy makes the new folder.
func (c *Command) copy(ctx context.Context, to string) (*logfolder.Salvaged, error) {
	topics := map[string]logfolder.SalvagedTopic{
		kafka.KeysTopic: {Partitions: 1, Settings: kafka.KeysSettings(1), Key: kafka.KeysBegin},
	}
	for _, category := range catalog.Categories() {
		topics[category.Topic()] = logfolder.SalvagedTopic{Partitions: category.Partitions, Settings: kafka.Settings(1)}
	}
	progress := func(done, total int64) { fmt.Fprintf(os.Stderr, "read %d of %d MiB\n", done>>20, total>>20) }
	if err := os.MkdirAll(to, 0o700); err != nil {
		return nil, err
	}
	out, err := logfolder.Salvage(ctx, filepath.Join(c.Data, "kafka"), filepath.Join(to, "kafka"),
		logfolder.SalvageConfig{Scan: logfolder.ScanConfig{Progress: progress}, Topics: topics, Settings: kafka.Settings(1)})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(to))
	}
	return out, c.copyRest(to)
}

// left stays behind: the log itself, which was salvaged; the read models, which are
// built anew; what belongs to a process that runs.
var left = map[string]bool{"kafka/log": true, "kafka/" + logfolder.NotesFile: true, "postgres": true}

// copyRest copies keys, files and what else a node has.
func (c *Command) copyRest(to string) error {
	return filepath.WalkDir(c.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(c.Data, path)
		if err != nil {
			return err
		}
		switch {
		case left[filepath.ToSlash(name)] && d.IsDir():
			return fs.SkipDir
		case left[filepath.ToSlash(name)], strings.HasSuffix(name, ".lock"):
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, filepath.Join(to, name))
		case d.Type().IsRegular():
			return copyFile(path, filepath.Join(to, name))
		}
		return nil // a socket of somebody
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// showSalvaged says what there is and what is missing.
func showSalvaged(w io.Writer, to string, s *logfolder.Salvaged, lost map[string]int) {
	fmt.Fprintf(w, "salvaged %d batches, %d bytes, into %s: log %s, which was log %s\n", s.Batches, s.Bytes, to, s.NewLog, s.OldLog)
	fmt.Fprintln(w, "\ndamage:")
	for _, d := range s.Damage {
		fmt.Fprintf(w, "  %s\n", d)
	}
	for _, p := range s.Foreign {
		fmt.Fprintf(w, "  %s is of another log and was left\n", p)
	}
	fmt.Fprintln(w, "\nmissing:")
	for _, m := range s.Missing {
		fmt.Fprintf(w, "  %s/%d: offsets %d to %d (%d records), %d bytes that are no whole batch\n",
			m.Topic, m.Partition, m.From, m.To-1, m.To-m.From, m.Bytes)
	}
	if len(s.Missing) == 0 {
		fmt.Fprintln(w, "  no offset")
	}
	for _, topic := range slices.Sorted(maps.Keys(lost)) {
		fmt.Fprintf(w, "  %s: %d whole commits count no more, since the commit before them in their stream is lost\n", topic, lost[topic])
	}
	if len(lost) == 0 {
		fmt.Fprintln(w, "  all commits that were copied count as they did")
	}
	fmt.Fprintf(w, "\nnext: parley serve --data %s\n", to)
}

// commitsLost opens the copy and counts, by topic, the whole commits that count no more.
func commitsLost(ctx context.Context, dir string, s *logfolder.Salvaged) (map[string]int, error) {
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	broker, err := embedded.StartBroker(embedded.BrokerConfig{Dir: dir, Log: quiet})
	if err != nil {
		return nil, err
	}
	defer func() { _ = broker.Close() }()
	encryption, login, err := broker.Client()
	if err != nil {
		return nil, err
	}
	log := kafka.New(kafka.Config{Brokers: broker.Addrs(), ClientID: "parley-salvage", TLS: encryption, SASL: login, Replicas: 1, Log: quiet})
	defer log.Close()
	count := orphanCount{log: log, lost: map[string]int{}}
	for _, p := range gaps(s.Missing) {
		if err := count.partition(ctx, p); err != nil {
			return nil, err
		}
	}
	return count.lost, nil
}
