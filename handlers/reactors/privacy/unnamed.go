package privacy

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
)

const (
	sweepEvery  = time.Hour
	sweepWithin = 10 * time.Minute
	namedWithin = 24 * time.Hour // far longer than anybody takes, or tries, to tell of a file that is stored
)

// Sweeper deletes files that were stored for an event that never came: whoever stored them was killed. It believes that no event names a
// file when two looks, an hour apart, have found none on all streams that could, each with all of the log in the index; a file
// that was stored less than a day ago stays in any case. What it cannot find out it leaves.
type Sweeper struct {
	Store   *eventstore.Store
	Blobs   unnamed
	Settled func(ctx context.Context) error // waits until streams are read as the log has them
	Now     func() time.Time
	Log     *slog.Logger

	found map[string]time.Time // named by nothing at the last look
}

// unnamed are files of which nobody has seen yet that an event names them, each with when it was stored last.
type unnamed interface {
	Unnamed(ctx context.Context) (map[string]time.Time, error)
	Named(ctx context.Context, name string) error
	// DeleteUnnamed removes one as of that time; one that is stored again meanwhile is there behind it.
	DeleteUnnamed(ctx context.Context, name string, at time.Time) error
}

// Run looks each hour until ctx ends. Nodes need not take turns: two that look at once do the same twice.
func (x *Sweeper) Run(ctx context.Context) {
	again := time.NewTicker(sweepEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		look, cancel := context.WithTimeout(ctx, sweepWithin)
		if err := x.Look(look); err != nil && ctx.Err() == nil {
			x.Log.Warn("files that nothing names could not be looked for, trying again in an hour", "error", err)
		}
		cancel()
	}
}

// Look asks of each file once whether an event names it, and deletes those of which the look before knew none either.
func (x *Sweeper) Look(ctx context.Context) error {
	before := x.found
	x.found = map[string]time.Time{}
	all, err := x.Blobs.Unnamed(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	if err := x.Settled(ctx); err != nil {
		return fmt.Errorf("waiting for the read models: %w", err)
	}
	deleted := 0
	for name, at := range all {
		named, known, err := named(ctx, x.Store, name)
		last, twice := before[name]
		switch {
		case err != nil:
			return err
		case !known:
		case named:
			err = x.Blobs.Named(ctx, name)
		case twice && last.Equal(at) && x.Now().Sub(at) >= namedWithin:
			err = x.Blobs.DeleteUnnamed(ctx, name, at)
			deleted++
		default:
			x.found[name] = at
		}
		if err != nil {
			return err
		}
	}
	if deleted > 0 {
		x.Log.Info("deleted files that nothing names: whoever stored them was killed", "files", deleted)
	}
	return nil
}

// named reports whether a stream names a file. Its own name says which streams could, and ends with what of it is said there alike in
// whatever form; of another name nobody knows.
func named(ctx context.Context, store *eventstore.Store, name string) (named, known bool, err error) {
	parts := strings.Split(name, "/")
	if len(parts) == 5 && parts[0] == "attachments" {
		of, said := parts[2], strings.Join(parts[3:], "/")
		named, err = names(ctx, store, sessions.Sessions, of, said)
		if err == nil && !named {
			named, err = names(ctx, store, threads.Threads, of, said)
		}
		return named, true, err
	}
	if len(parts) != 4 {
		return false, false, nil
	}
	switch of, said := parts[2], parts[3]; parts[0] {
	case "recordings":
		named, err = names(ctx, store, calls.Calls, of, said)
	case "voicemails":
		named, err = names(ctx, store, voicemails.Voicemails, of, said)
	case "completions":
		named, err = names(ctx, store, completions.Completions, of, said)
	case "exports":
		named, err = names(ctx, store, exports.Jobs, of, said)
	default:
		return false, false, nil
	}
	return named, true, err
}

// names reports whether an event of a stream says the name of a file. What came before an erasure of the whole stream names nothing: its
// files were deleted then, and one that is there was stored by a repeat.
func names[S any](ctx context.Context, store *eventstore.Store, agg *event.Aggregate[S], id, said string) (named bool, err error) {
	erases := func(p event.Payload) bool {
		e, is := p.(event.Erased)
		return is && len(e.Erased().Keys) == 0
	}
	says := func(newest []eventstore.Recorded) (so, enough bool) {
		for _, r := range slices.Backward(newest) {
			so = bytes.Contains(r.Data, []byte(said))
			if so || erases(r.Payload) {
				return so, true
			}
		}
		return false, false
	}
	told, err := eventstore.Recent(ctx, store, agg, agg.Stream(id), func(newest []eventstore.Recorded) bool {
		_, enough := says(newest)
		return enough
	})
	named, _ = says(told.Events)
	return named, err
}

// storedFor are the streams that files are stored for, of those that persons are forgotten in.
var storedFor = map[string][]string{"attachments": {sessions.Sessions.Prefix, threads.Threads.Prefix}, "recordings": {calls.Calls.Prefix},
	"voicemails": {voicemails.Voicemails.Prefix}}

// unnamed takes what was stored for a stream that is forgotten, and whose event never came: a session ends with its erasure, and what is
// still said on another stream is forgotten by the next look.
func (f *forgetting) unnamed(ctx context.Context) error {
	all, err := f.Blobs.Unnamed(ctx)
	if err != nil {
		return err
	}
	for name := range all {
		parts := strings.Split(name, "/")
		if len(parts) < 3 || !slices.ContainsFunc(f.job.Found, func(p erasures.Place) bool {
			prefix, id, _ := strings.Cut(p.Stream, "-")
			return len(p.Keys) == 0 && parts[2] == id && slices.Contains(storedFor[parts[0]], prefix)
		}) {
			continue
		}
		named, known, err := named(ctx, f.Store, name)
		if err == nil && known && !named {
			err = f.Blobs.Delete(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
