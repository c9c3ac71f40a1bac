package channels

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/files"
	"github.com/parley-platform/parley/handlers/reactors"
)

// fetcher gets what a person sent with a message, by the connection's account. It asks once; its
// error is a channels.Unfetched, which says whether another try is worth it. The adapters of kinds
// that have files implement it.
type fetcher interface {
	Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error)
}

// fileStore keeps what is fetched.
type fileStore interface {
	Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error)
	Delete(ctx context.Context, name string) error
}

// The bounds of fetching the files of one message: less than a handler's 30 s, so that the message
// still has its time.
const (
	filesWithin = 15 * time.Second
	fileWithin  = 8 * time.Second // of one try
	fileTries   = 3
	filePause   = time.Second // before the second; twice as long before the third
	filesAtOnce = 4
)

// fetch gets the files of messages that wait, before anything else is done with them: their addresses
// do not last, and turns may. What became of them stands on the thread, so that a message is given to
// its session with the same files, whoever is killed in between.
func (x ThreadTurns) fetch(ctx context.Context, stream string, because reactors.Event, messages ...threads.Received) error {
	for _, m := range messages {
		got, err := x.filesOf(ctx, stream, m)
		if err != nil {
			return err
		}
		by := eventstore.Command{Tenant: m.TenantID, Actor: "reactor:" + threadTurns, CorrelationID: because.CorrelationID,
			CausationID: because.ID, RequestID: eventstore.CauseID(threadTurns, stream, fmt.Sprintf("files/%d", m.Number))}
		cmd := threads.Fetch{Number: m.Number, Files: got, At: x.Turns.Now()}
		res, err := eventstore.Execute(ctx, x.Turns.Store, threads.Threads, stream, by, cmd.Decide)
		if err != nil {
			return err
		}
		noted, _ := eventstore.Find[threads.FilesFetched](res) // of who fetched them as well; none where the person was forgotten
		x.drop(ctx, without(threads.BlobsOf(got), threads.BlobsOf(noted.Files)))
	}
	return nil
}

func without(all, but []string) (out []string) {
	kept := map[string]bool{}
	for _, name := range but {
		kept[name] = true
	}
	for _, name := range all {
		if !kept[name] {
			out = append(out, name)
		}
	}
	return out
}

// drop takes files away that nothing needs. The thread still names those that it has noted.
func (x ThreadTurns) drop(ctx context.Context, blobs []string) {
	for _, name := range blobs {
		if err := x.Blobs.Delete(ctx, name); err != nil {
			acts.Logger(ctx).Warn("a file that nothing needs cannot be deleted; it goes when its sender is erased", "error", err)
		}
	}
}

// filesOf gets the files of one message. An error is ours: the storage, the database, the end of the
// process. What is wrong with a file is a part of what it gives.
func (x ThreadTurns) filesOf(ctx context.Context, stream string, m threads.Received) ([]threads.Fetched, error) {
	c, err := x.Connections.WithID(ctx, m.TenantID, m.ConnectionID)
	gone := fault.Is(err, fault.NotFound)
	if err != nil && !gone {
		return nil, err
	}
	adapter, _ := x.Adapters(m.Kind)
	from, fetches := adapter.(fetcher)
	out := make([]threads.Fetched, len(m.Files))
	limited, cancel := context.WithTimeout(ctx, filesWithin)
	defer cancel()
	group, limited := errgroup.WithContext(limited)
	group.SetLimit(filesAtOnce)
	for i, f := range m.Files {
		out[i] = files.Told(channels.File(f))
		switch {
		case gone:
			out[i].Code, out[i].Reason = channels.FileDenied, "the connection was deleted"
		case !fetches:
			out[i].Code, out[i].Reason = channels.FileRefused, "files of this kind of channel are not fetched"
		default:
			group.Go(func() error {
				id := threads.AttachmentOf(stream, m.Number, i)
				folder := sessions.AttachmentFolder(m.TenantID, threads.Threads.StreamID(stream), id)
				return x.get(limited, from, c, channels.File(f), folder, id, &out[i])
			})
		}
	}
	err = group.Wait()
	if ctx.Err() != nil { // nobody waits for it any more; what did not come is not the provider's fault
		return nil, ctx.Err()
	}
	return out, err
}

// get fetches one file, judges it and stores it.
func (x ThreadTurns) get(ctx context.Context, from fetcher, c channels.Connection, f channels.File, folder, id string,
	out *threads.Fetched) (err error) {
	got, content, why := read(ctx, from, c, f)
	if why == nil {
		if *out, err = files.Keep(ctx, x.Blobs, folder, id, got, content); err != nil {
			return err
		}
	} else {
		*out = files.Without(*out, why)
	}
	if out.Code != "" {
		acts.Logger(ctx).Warn("a file of a message is not fetched", "connection", c.ID, "kind", c.Kind, "code", out.Code)
	}
	return nil
}

// read asks for a file, a few times while its provider is away, and reads it.
func read(ctx context.Context, from fetcher, c channels.Connection, f channels.File) (got channels.File, content []byte,
	why *channels.Unfetched) {
	ask := func(ctx context.Context, f channels.File) (channels.Fetched, error) { return from.Fetch(ctx, c, f) }
	for try := 1; ; try++ {
		if got, content, why = files.Get(ctx, fileWithin, f, ask); why == nil || !why.Again || try == fileTries {
			return got, content, why
		}
		pause := max(filePause<<(try-1), why.RetryAfter)
		if end, ends := ctx.Deadline(); ends && time.Until(end) <= pause { // there is no other try: who wrote waits for nothing
			return got, nil, why
		}
		select {
		case <-ctx.Done():
			return got, nil, why
		case <-time.After(pause):
		}
	}
}

// taking decides a turn with the files of its message, which become attachments in the same commit.
// The agent is told which came, and of those that did not why.
func (g *giving) taking(turn turns.Receive) func(sessions.State) ([]event.Payload, error) {
	return func(s sessions.State) ([]event.Payload, error) {
		turn, all := turn, []func(sessions.State) ([]event.Payload, error){}
		for _, f := range g.thread.Fetched[g.message.Number] {
			tells := sessions.ToldFile{AttachmentID: f.AttachmentID, Name: f.Name, Type: f.ContentType, SizeBytes: f.SizeBytes, Problem: f.Reason}
			switch {
			case f.AttachmentID == "":
			case len(s.Attachments)+len(turn.Attached) >= sessions.MostAttachments:
				tells.AttachmentID = ""
				tells.Problem = fmt.Sprintf("the session has %d files, and takes no more", sessions.MostAttachments)
			default:
				attach := sessions.Attach{AttachmentID: f.AttachmentID, FileName: f.Name, ContentType: f.ContentType, SizeBytes: f.SizeBytes,
					Blob: f.Blob, At: turn.At}
				turn.Attached, all = append(turn.Attached, f.AttachmentID), append(all, attach.Decide)
			}
			turn.Files = append(turn.Files, tells)
		}
		turn.Metadata = g.about()
		return driving.OneAfterTheOther(append(all, turn.Decide)...)(s)
	}
}

// about is what the agent knows of a message beside its words.
func (g *giving) about() json.RawMessage {
	about := map[string]any{}
	given := map[string]json.RawMessage{} // of the caller, who says nothing else of what we say
	_ = json.Unmarshal(g.message.Metadata, &given)
	for name, value := range given {
		about[name] = value
	}
	for _, a := range g.message.About {
		about[a.Name] = a.Value
	}
	about["channel"], about["externalMessageId"] = g.message.Kind, g.message.ExternalID
	if g.message.MoreFiles > 0 {
		about["filesLeftOut"] = g.message.MoreFiles
	}
	if _, leftOut := heard(g.message); leftOut > 0 {
		about["charactersLeftOut"] = leftOut
	}
	out, _ := json.Marshal(about) // of texts and numbers, which always can be
	return out
}

// leftOf are the files of the message for which the session had no room.
func (g *giving) leftOf(s sessions.State) (out []string) {
	for _, f := range g.thread.Fetched[g.message.Number] {
		if f.Blob != "" && s.Attachment(f.AttachmentID) == nil {
			out = append(out, f.Blob)
		}
	}
	return out
}
