package privacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// atOnce bounds the streams that one step forgets the person in at the same time.
const atOnce = 16

// reasonErased is why a session ended whose customer was erased.
const reasonErased = "Erased"

// forgetting is a step's work: what it found out so far.
type forgetting struct {
	Eraser
	job erasures.State

	mu     sync.Mutex
	keys   []sealed.ID
	counts map[string]int
	goOn   []string // conversations of channels that were too old, and go on at this moment
}

// forget takes the person out of what was found: it ends what runs, says on each stream that
// the person was erased, deletes recordings, and erases the keys of all of it last. Killed
// anywhere it is done again from the beginning.
func (x Eraser) forget(ctx context.Context, job erasures.State) (map[string]int, error) {
	f := &forgetting{Eraser: x, job: job, counts: map[string]int{}}
	if job.Aged.ProjectID != "" {
		if err := f.attribute(ctx); err != nil {
			return f.counts, err
		}
	}
	var ofChannels, others []erasures.Place
	for _, place := range job.Found {
		if catalog.OfStream(place.Stream) == threads.Threads.Category {
			ofChannels = append(ofChannels, place)
		} else {
			others = append(others, place)
		}
	}
	for _, places := range [][]erasures.Place{ofChannels, others} { // whether a session goes with its conversation is known by then
		if err := f.all(ctx, places); err != nil {
			return f.counts, err
		}
	}
	if job.Aged.ProjectID == "" {
		if err := f.unnamed(ctx); err != nil {
			return f.counts, err
		}
	}
	if x.Spoken != nil {
		if err := x.Spoken.Forget(ctx); err != nil {
			return f.counts, err
		}
	}
	if len(f.keys) == 0 {
		return f.counts, nil
	}
	return f.counts, x.Keys.Erase(ctx, f.keys)
}

// attribute has what outlives what is too old say whose it is, before that is forgotten: else nobody who is erased later would be
// found there.
func (f *forgetting) attribute(ctx context.Context) error {
	streams := make([]string, len(f.job.Found))
	for n, place := range f.job.Found {
		streams[n] = place.Stream
	}
	outliving, err := f.Persons.Outliving(ctx, f.job.TenantID, streams)
	if err != nil {
		return err
	}
	for _, o := range outliving {
		if catalog.OfStream(o.Stream) == voicemails.Voicemails.Category {
			keep := voicemails.Attribute{Persons: o.Persons, At: f.Now()}
			err = eventstore.Do(ctx, f.Store, voicemails.Voicemails, o.Stream, f.by(), keep.Decide)
		} else {
			keep := conversations.Attribute{Persons: o.Persons, At: f.Now()}
			err = eventstore.Do(ctx, f.Store, conversations.Conversations, o.Stream, f.by(), keep.Decide)
		}
		if err != nil {
			return fmt.Errorf("keeping whose %s is: %w", o.Stream, err)
		}
	}
	return nil
}

func (f *forgetting) all(ctx context.Context, places []erasures.Place) error {
	work, within := errgroup.WithContext(ctx)
	work.SetLimit(atOnce)
	for _, place := range places {
		work.Go(func() error {
			if err := f.in(within, place); err != nil {
				return fmt.Errorf("forgetting a person in %s: %w", place.Stream, err)
			}
			return nil
		})
	}
	return work.Wait()
}

// in forgets the person in one stream, as its category does.
func (f *forgetting) in(ctx context.Context, p erasures.Place) error {
	about := event.Erasure{ErasureID: f.job.ID, Keys: p.Keys, At: event.Stamp(f.Now())}
	switch category, _, _ := strings.Cut(p.Stream, "-"); category {
	case "call":
		return f.call(ctx, p.Stream, about)
	case "session":
		return f.session(ctx, p.Stream, about)
	case "conversation":
		return f.conversation(ctx, p.Stream, about)
	case "transfer":
		return f.transfer(ctx, p.Stream, about)
	case "voicemail":
		return f.voicemail(ctx, p.Stream, about)
	case "message":
		return forgetIn(ctx, f, texts.Texts, p.Stream, texts.Forget{At: about.At}.Decide, texts.Erased{Erasure: about})
	case "contact":
		return forgetIn(ctx, f, contacts.Contacts, p.Stream, contacts.Forget{At: about.At}.Decide, contacts.Erased{Erasure: about})
	case "thread":
		return f.thread(ctx, p.Stream, about)
	case "memory":
		return forgetIn(ctx, f, memories.Memories, p.Stream, nil, memories.Erased{Erasure: about})
	case "completion":
		return f.answer(ctx, p.Stream, about)
	case "contactlist":
		return forgetIn(ctx, f, contactlists.Lists, p.Stream, nil, contactlists.Erased{Erasure: about})
	case "run":
		return forgetIn(ctx, f, runs.Runs, p.Stream, nil, runs.Erased{Erasure: about})
	}
	return errors.New("nobody knows how its category forgets")
}

// call takes the recording, and messages, after the end: what is kept later is refused.
func (f *forgetting) call(ctx context.Context, stream string, about event.Erasure) error {
	read, err := eventstore.Read(ctx, f.Store, calls.Calls, stream)
	if err != nil {
		return err
	}
	err = forgetIn(ctx, f, calls.Calls, stream, calls.Forget{At: about.At}.Decide, calls.Erased{Erasure: about})
	if err != nil {
		return err
	}
	if read.State.Request.NotifyURL != "" {
		if err := f.notices(ctx, stream, about); err != nil {
			return err
		}
	}
	if read, err = eventstore.Read(ctx, f.Store, calls.Calls, stream); err != nil {
		return err
	}
	if read.State.Recording.Blob != "" {
		if err := f.Blobs.Delete(ctx, read.State.Recording.Blob); err != nil {
			return err
		}
	}
	return f.messages(ctx, read.State)
}

// messages takes what was left on a call, also what was stored by a node that was killed before it told of it. A voicemail
// that was made of one has an age of its own.
func (f *forgetting) messages(ctx context.Context, call calls.State) error {
	for _, id := range call.Messages {
		made, err := eventstore.Read(ctx, f.Store, voicemails.Voicemails, voicemails.Voicemails.Stream(id))
		if err != nil {
			return err
		}
		if f.job.Aged.ProjectID != "" && made.State.Status != "" {
			continue
		}
		blobs := []string{voicemails.LeftOnCall(call.Request.TenantID, id)}
		if call.MessageBlob != "" && call.MessageBlob != blobs[0] && call.Message.VoicemailID == id { // of an older version
			blobs = append(blobs, call.MessageBlob)
		}
		for _, blob := range blobs {
			if err := f.Blobs.Delete(ctx, blob); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *forgetting) transfer(ctx context.Context, stream string, about event.Erasure) error {
	read, err := eventstore.Read(ctx, f.Store, transfers.Transfers, stream)
	if err != nil {
		return err
	}
	err = forgetIn(ctx, f, transfers.Transfers, stream, nil, transfers.Erased{Erasure: about})
	if err != nil || read.State.Request.CallbackURL == "" {
		return err
	}
	return f.notices(ctx, stream, about)
}

// notices gives up what is not told yet, and shuts the way of what is still to come.
func (f *forgetting) notices(ctx context.Context, subject string, about event.Erasure) error {
	forget := deliveries.Forget{ErasureID: about.ErasureID, At: about.At}
	return forgetIn(ctx, f, deliveries.Deliveries, deliveries.Deliveries.Stream(subject), forget.Decide, deliveries.Erased{Erasure: about})
}

// session takes the files after the end: an ended session gets no more of them. The last one of a conversation that goes on at
// this moment stays: by a session that is forgotten nobody finds its conversation any more.
func (f *forgetting) session(ctx context.Context, stream string, about event.Erasure) error {
	if len(f.goOn) > 0 {
		read, err := eventstore.Read(ctx, f.Store, sessions.Sessions, stream)
		if err != nil || slices.Contains(f.goOn, read.State.Thread) {
			return err
		}
	}
	err := forgetIn(ctx, f, sessions.Sessions, stream, sessions.End{Reason: reasonErased, At: about.At}.Decide,
		sessions.Erased{Erasure: about})
	if err != nil {
		return err
	}
	read, err := eventstore.Read(ctx, f.Store, sessions.Sessions, stream)
	if err != nil {
		return err
	}
	for _, file := range read.State.Attachments {
		if err := f.Blobs.Delete(ctx, file.Blob); err != nil {
			return err
		}
	}
	return nil
}

// thread takes the files after the end, those that no session has, and shuts the way of notices where
// other agents may be told of tasks.
func (f *forgetting) thread(ctx context.Context, stream string, about event.Erasure) error {
	if forgot, err := f.ofThread(ctx, stream, about); err != nil || !forgot {
		return err
	}
	read, err := eventstore.Read(ctx, f.Store, threads.Threads, stream)
	if err != nil {
		return err
	}
	for _, name := range read.State.Strays {
		if err := f.Blobs.Delete(ctx, name); err != nil {
			return err
		}
	}
	if !connections.Polls(read.State.Kind) {
		return nil
	}
	for _, way := range append(read.State.Ways(stream), stream) {
		if err := f.notices(ctx, way, about); err != nil {
			return err
		}
	}
	return nil
}

// ofThread ends a conversation of somebody who is to be erased. One that is too old may go on at this moment: then it is
// left as it is.
func (f *forgetting) ofThread(ctx context.Context, stream string, about event.Erasure) (forgot bool, err error) {
	forget, erased := threads.Forget{At: about.At}, threads.Erased{Erasure: about}
	if f.job.Aged.ProjectID == "" {
		return true, forgetIn(ctx, f, threads.Threads, stream, forget.Decide, erased)
	}
	quiet := threads.ForgetQuiet{Since: f.job.Aged.Before[retention.Calls], Forget: forget, Erased: erased}
	forgot, err = forgetWhen(ctx, f, threads.Threads, stream, quiet.Decide, erased)
	if !forgot {
		f.mu.Lock()
		f.goOn = append(f.goOn, stream)
		f.mu.Unlock()
	}
	return forgot, err
}

// conversation is one that people take part in. One that is too old may go on at this moment, too.
func (f *forgetting) conversation(ctx context.Context, stream string, about event.Erasure) error {
	forget, erased := conversations.Forget{At: about.At}, conversations.Erased{Erasure: about}
	if f.job.Aged.ProjectID == "" {
		return forgetIn(ctx, f, conversations.Conversations, stream, forget.Decide, erased)
	}
	quiet := conversations.ForgetQuiet{Since: f.job.Aged.Before[retention.Conversations], Forget: forget, Erased: erased}
	_, err := forgetWhen(ctx, f, conversations.Conversations, stream, quiet.Decide, erased)
	return err
}

func (f *forgetting) voicemail(ctx context.Context, stream string, about event.Erasure) error {
	read, err := eventstore.Read(ctx, f.Store, voicemails.Voicemails, stream)
	if err != nil {
		return err
	}
	err = forgetIn(ctx, f, voicemails.Voicemails, stream, voicemails.Forget{At: about.At}.Decide, voicemails.Erased{Erasure: about})
	if err != nil || read.State.Recording.Blob == "" {
		return err
	}
	return f.Blobs.Delete(ctx, read.State.Recording.Blob)
}

// answer takes what a model said to a request that named a session of the person, and that is kept for who repeats it. On the stream
// are figures alone.
func (f *forgetting) answer(ctx context.Context, stream string, about event.Erasure) error {
	read, err := eventstore.Read(ctx, f.Store, completions.Completions, stream)
	if err != nil || read.State.Blob == "" {
		return err
	}
	if err := f.Blobs.Delete(ctx, read.State.Blob); err != nil {
		return err
	}
	drop := completions.DropAnswer{Erased: true, At: about.At}
	err = eventstore.Do(ctx, f.Store, completions.Completions, stream, f.by(), drop.For(completions.Completions.StreamID(stream)))
	if err == nil {
		f.count(completions.Completions.Category)
	}
	return err
}

// forgetIn ends what runs on a stream, says there that the person was erased, and notes the
// keys of what was said until then. A stream that was never begun has nothing to forget.
func forgetIn[S any](ctx context.Context, f *forgetting, agg *event.Aggregate[S], stream string,
	end func(S) ([]event.Payload, error), erased event.Erased) error {
	if end != nil {
		if err := eventstore.Do(ctx, f.Store, agg, stream, f.by(), end); err != nil {
			return err
		}
	}
	ids, err := eventstore.Erase(ctx, f.Store, agg, stream, f.by(), erased)
	f.erased(agg.Category, stream, ids)
	return err
}

// forgetWhen is forgetIn of a stream that itself decides whether this is the time.
func forgetWhen[S any](ctx context.Context, f *forgetting, agg *event.Aggregate[S], stream string,
	decide func(S) ([]event.Payload, error), erased event.Erased) (forgot bool, err error) {
	ids, forgot, err := eventstore.EraseWhen(ctx, f.Store, agg, stream, f.by(), erased, decide)
	f.erased(agg.Category, stream, ids)
	return forgot, err
}

func (f *forgetting) by() eventstore.Command {
	return eventstore.Command{Tenant: f.job.TenantID, Actor: "reactor:eraser"}
}

// erased notes the keys of what was said on a stream, and counts it once.
func (f *forgetting) erased(in *event.Category, stream string, ids []sealed.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys = append(f.keys, ids...)
	again := slices.ContainsFunc(f.job.Before, func(p erasures.Place) bool { return p.Stream == stream })
	if len(ids) > 0 && !again {
		f.counts[in.Name]++
	}
}

func (f *forgetting) count(in *event.Category) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[in.Name]++
}
