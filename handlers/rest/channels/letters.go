package channels

import (
	"context"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/files"
)

// Letters takes what comes with its files, as a mail does: they are stored before it is on the log,
// since nobody can be asked for them later.
type Letters struct {
	Threads
	Blobs files.Blobs
}

// Entry takes what a person said, and the contents of its files, in their order.
func (x Letters) Entry(ctx context.Context, c channels.Connection, requestID string, e channels.Entry, contents [][]byte) error {
	stream := threads.Stream(x.MAC, c.TenantID, c.ID, e.Thread)
	cmd, by := x.received(c, e), x.by(ctx, c, requestID)
	if len(contents) > 0 {
		was, err := acts.Earlier(ctx, x.Log, by, threads.Threads, stream)
		if err != nil {
			return err
		}
		if was.Replayed { // its files may have been deleted since with who sent them, and nobody would delete them once more
			contents = nil
		} else if _, err = cmd.Decide(was.State); err != nil { // nothing would name them
			return err
		}
	}
	for i := range min(len(contents), threads.MostFiles) {
		f, err := files.KeepOf(ctx, x.Blobs, c.TenantID, stream, requestID, i, e.Files[i], contents[i])
		if err != nil {
			return err
		}
		cmd.Brought = append(cmd.Brought, f)
	}
	if _, err := acts.Execute(ctx, x.Log, by, threads.Threads, stream, cmd.Decide); err != nil {
		files.Discard(context.WithoutCancel(ctx), x.Blobs, cmd.Brought, err)
		return err
	}
	x.Counts.Received(c.Kind)
	return nil
}
