package a2a

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	protocol "github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/files"
)

// The bounds of fetching the files that a message gives an address of: its sender waits for that.
const (
	fileWithin  = 8 * time.Second
	filesAtOnce = 4
)

// bring stores the files of a message before it is on the log, those that are in it and those that are
// where it says; of the others it says why not. One that comes again has brought them before, and for one that the
// thread refuses nobody is asked.
func (x API) bring(ctx context.Context, m protocol.Message, stream string, by acts.Caller, cmd threads.Receive) ([]threads.Fetched, error) {
	var given []*protocol.File
	for _, p := range m.Parts {
		if p.File != nil && len(given) < threads.MostFiles {
			given = append(given, p.File)
		}
	}
	if len(given) == 0 {
		return nil, nil
	}
	thread, is, err := x.repeated(ctx, by, stream)
	if err != nil || is {
		return nil, err
	}
	if _, err = cmd.Decide(thread.State); err != nil {
		return nil, err
	}
	out := make([]threads.Fetched, len(given))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(filesAtOnce)
	for i, g := range given {
		group.Go(func() (err error) {
			f, content := fileOf(g), g.Bytes
			if g.URI != "" {
				var why *channels.Unfetched
				if f, content, why = files.Get(ctx, fileWithin, f, x.Fetch); why != nil {
					out[i] = files.Without(files.Told(f), why)
					return nil
				}
			}
			out[i], err = files.KeepOf(ctx, x.Blobs, connectionOf(ctx).TenantID, stream, by.RequestID, i, f, content)
			return err
		})
	}
	return out, group.Wait()
}

func fileOf(f *protocol.File) channels.File {
	return channels.File{URL: f.URI, Name: f.Name, ContentType: f.MediaType, Size: int64(len(f.Bytes))}
}
