package privacy

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/sealed"
	models "github.com/parley-platform/parley/projections/privacy"
)

// archive writes what is known of a person, stream by stream, and keeps nothing: of a stream
// some events at a time, of a file some bytes. Only the names of the files are in memory, until
// the ZIP ends with them.
type archive struct {
	ExportsAPI
	about  about
	tenant string
	most   int64 // bytes after which no other stream is begun
	zip    *zip.Writer
	packed map[[2]string]bool // names and blobs of files beside streams: a message that was left is a call's and a voicemail's
}

// about is about.json, the first file of the ZIP.
type about struct {
	DisclosureID string             `json:"disclosureId"`
	At           string             `json:"at"`
	Identities   []privacy.Identity `json:"identities"` // in the spelling that stands for all
	Streams      map[string]int     `json:"streams"`    // in all, by category
	After        string             `json:"after,omitempty"`
}

// more is more.json, the last file of a ZIP behind which there is more.
type more struct {
	After string `json:"after"`
	Do    string `json:"do"`
}

const moreToDo = "This is not all. Ask again for the same identities, with this \"after\", for what comes next."

// told is an event of which something is the person's.
type told struct {
	ID   string    `json:"id"`
	Type string    `json:"type"`
	Time time.Time `json:"time"`
	Data any       `json:"data"`
}

func (a archive) write(ctx context.Context, to io.Writer, part models.Part) error {
	sized := &counting{Writer: to}
	a.zip, a.packed = zip.NewWriter(sized), map[[2]string]bool{}
	if err := a.json("about.json", a.about); err != nil {
		return err
	}
	rest := part.More
	for n, p := range part.Places {
		if err := a.place(ctx, p); err != nil {
			return fmt.Errorf("handing out %s: %w", p.Stream, err)
		}
		if err := a.zip.Flush(); err != nil {
			return err
		}
		if last := n == len(part.Places)-1; !last && sized.written < a.most {
			continue
		} else if rest = rest || !last; rest {
			if err := a.json("more.json", more{p.Stream, moreToDo}); err != nil {
				return err
			}
		}
		break
	}
	return a.zip.Close()
}

// counting knows how much was written.
type counting struct {
	io.Writer
	written int64
}

func (c *counting) Write(b []byte) (n int, err error) {
	n, err = c.Writer.Write(b)
	c.written += int64(n)
	return n, err
}

// place hands out a stream, and what others were notified of from there.
func (a archive) place(ctx context.Context, p erasures.Place) error {
	if err := a.stream(ctx, p); err != nil || len(p.Keys) > 0 {
		return err
	}
	subjects := []string{p.Stream}
	if threads.Threads.Category == catalog.OfStream(p.Stream) {
		ways, err := a.thread(ctx, p.Stream)
		if err != nil {
			return err
		}
		subjects = append(subjects, ways...)
	}
	for _, subject := range subjects {
		if err := a.stream(ctx, erasures.Place{Stream: deliveries.Deliveries.Stream(subject)}); err != nil {
			return err
		}
	}
	return nil
}

// eventsAtOnce is how many events of a stream are read together: each may be some megabytes.
const eventsAtOnce = 16

// stream writes the file of a stream, and then the files that its events name.
func (a archive) stream(ctx context.Context, p erasures.Place) error {
	category := catalog.OfStream(p.Stream)
	if category == nil {
		return fmt.Errorf("the stream is of no category")
	}
	records, err := a.Index.After(ctx, p.Stream, 0, eventsAtOnce)
	if err != nil || len(records) == 0 {
		return err
	}
	if records[0].Tenant != a.tenant {
		return fmt.Errorf("the stream is of another tenant")
	}
	to, err := a.create(category.Name+"/"+url.PathEscape(category.StreamID(p.Stream))+".json", a.Now(), zip.Deflate)
	if err != nil {
		return err
	}
	h := &history{to: to}
	if err := h.begin(p.Stream); err != nil {
		return err
	}
	for len(records) > 0 {
		if err := a.tell(ctx, h, category, records, p); err != nil {
			return err
		}
		if len(records) < eventsAtOnce {
			break
		}
		if records, err = a.Index.After(ctx, p.Stream, records[len(records)-1].Version, eventsAtOnce); err != nil {
			return err
		}
	}
	if err := h.end(); err != nil {
		return err
	}
	for _, f := range h.files {
		if err := a.file(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// thread packs the files of messages that no session has taken yet, as what became of others their sessions tell, and gives the
// ways on which somebody was told of tasks.
func (a archive) thread(ctx context.Context, stream string) (ways []string, err error) {
	read, err := eventstore.Read(ctx, a.Store, threads.Threads, stream)
	if err != nil {
		return nil, err
	}
	for _, m := range read.State.Waiting {
		for _, f := range read.State.Fetched[m.Number] {
			if f.Blob == "" {
				continue
			}
			if err := a.file(ctx, beside{attachment(f.AttachmentID), f.Blob, m.At, true}); err != nil {
				return nil, err
			}
		}
	}
	return read.State.Ways(stream), nil
}

// tell writes what the records say of the person.
func (a archive) tell(ctx context.Context, h *history, category *event.Category, records []*eventstore.Record, p erasures.Place) error {
	theirs := func(r *eventstore.Record, id sealed.ID) bool {
		return id.String() == r.KeyID || slices.Contains(p.Keys, id.String())
	}
	if err := eventstore.OpenOf(ctx, a.Store.Keys, category, theirs, records...); err != nil {
		return err
	}
	for _, r := range records {
		of, err := h.told(category, r, p)
		if err != nil {
			return err
		}
		if of == nil {
			continue
		}
		if err := h.event(told{r.ID, r.Type, r.Time, of}); err != nil {
			return err
		}
	}
	return nil
}

// file packs a recording, or a file that somebody attached.
func (a archive) file(ctx context.Context, f beside) error {
	is := [2]string{f.name, f.blob}
	if a.packed[is] {
		return nil
	}
	content, err := a.Blobs.Open(ctx, f.blob)
	if f.passes && fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.name, err)
	}
	defer func() { _ = content.Close() }()
	a.packed[is] = true
	to, err := a.create(f.name, f.at, zip.Store)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, content); err != nil {
		return fmt.Errorf("packing %s: %w", f.name, err)
	}
	return nil
}

func (a archive) json(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	to, err := a.create(name, a.Now(), zip.Deflate)
	if err == nil {
		_, err = to.Write(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("packing %s: %w", name, err)
	}
	return nil
}

// create begins a file, and ends the one before it.
func (a archive) create(name string, at time.Time, method uint16) (io.Writer, error) {
	to, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Modified: at, Method: method})
	if err != nil {
		return nil, fmt.Errorf("packing %s: %w", name, err)
	}
	return to, nil
}
