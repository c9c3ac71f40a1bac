package privacy

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/projections"
)

// archive writes what is known of a person, stream by stream, and keeps nothing.
type archive struct {
	ExportsAPI
	about  about
	tenant string
	zip    *zip.Writer
}

// about is about.json, the first file of the ZIP.
type about struct {
	DisclosureID string             `json:"disclosureId"`
	At           string             `json:"at"`
	Identities   []privacy.Identity `json:"identities"` // in the spelling that stands for all
	Streams      map[string]int     `json:"streams"`    // by category
}

// history is the file of a stream.
type history struct {
	Stream string `json:"stream"`
	Events []told `json:"events"`
}

// told is an event of which something is the person's.
type told struct {
	ID   string    `json:"id"`
	Type string    `json:"type"`
	Time time.Time `json:"time"`
	Data any       `json:"data"`
}

func (a archive) write(ctx context.Context, w io.Writer, places []erasures.Place) error {
	a.zip = zip.NewWriter(w)
	if err := a.json("about.json", a.about); err != nil {
		return err
	}
	for _, p := range places {
		if err := a.place(ctx, p); err != nil {
			return fmt.Errorf("handing out %s: %w", p.Stream, err)
		}
	}
	return a.zip.Close()
}

// place hands out a stream, and what others were notified of from there.
func (a archive) place(ctx context.Context, p erasures.Place) error {
	if err := a.stream(ctx, p); err != nil || len(p.Keys) > 0 {
		return err
	}
	return a.stream(ctx, erasures.Place{Stream: deliveries.Deliveries.Stream(p.Stream)})
}

func (a archive) stream(ctx context.Context, p erasures.Place) error {
	category := catalog.OfStream(p.Stream)
	if category == nil {
		return fmt.Errorf("the stream is of no category")
	}
	records, err := a.Store.Index.Load(ctx, p.Stream)
	if err != nil || len(records) == 0 {
		return err
	}
	if records[0].Tenant != a.tenant {
		return fmt.Errorf("the stream is of another tenant")
	}
	theirs := func(r *eventstore.Record, id sealed.ID) bool {
		return id.String() == r.KeyID || slices.Contains(p.Keys, id.String())
	}
	if err := eventstore.OpenOf(ctx, a.Store.Keys, category, theirs, records...); err != nil {
		return err
	}
	file := history{Stream: p.Stream}
	for _, r := range records {
		of, err := a.told(ctx, category, r, p)
		if err != nil {
			return err
		}
		if of != nil {
			file.Events = append(file.Events, told{r.ID, r.Type, r.Time, of})
		}
	}
	return a.json(category.Name+"/"+url.PathEscape(category.StreamID(p.Stream))+".json", file)
}

// kept are the categories that have recordings and files beside their streams.
var kept = []*event.Category{calls.Calls.Category, voicemails.Voicemails.Category, sessions.Sessions.Category}

// told is what an event says of the person, nil if nothing; the recording of a call or a voicemail and
// an attached file are put beside it.
func (a archive) told(ctx context.Context, category *event.Category, r *eventstore.Record, p erasures.Place) (any, error) {
	if len(p.Keys) == 0 && !slices.Contains(kept, category) {
		return json.RawMessage(r.Data), nil
	}
	said, err := category.Decode(r.Type, r.Data)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", r.ID, err)
	}
	at := projections.AtOf(r, category)
	switch e := said.(type) {
	case calls.Recorded:
		return json.RawMessage(r.Data), a.file(ctx, "recordings/"+url.PathEscape(calls.Calls.StreamID(p.Stream))+".wav", e.Blob, e.At)
	case voicemails.Recorded:
		return json.RawMessage(r.Data), a.file(ctx, "recordings/"+url.PathEscape(e.VoicemailID)+path.Ext(e.Blob), e.Blob, e.At)
	case sessions.Attached:
		return json.RawMessage(r.Data), a.file(ctx, "attachments/"+url.PathEscape(e.AttachmentID), e.Blob, e.At)
	case contactlists.ContactsPut:
		e.Contacts = theirs(at, e.Contacts, p.Keys)
		return orNothing(e, e.Contacts), nil
	case runs.ContactsListed:
		e.Contacts = theirs(at, e.Contacts, p.Keys)
		return orNothing(e, e.Contacts), nil
	}
	if len(p.Keys) > 0 { // of the list, and not of who is on it
		return nil, nil
	}
	return json.RawMessage(r.Data), nil
}

// theirs are those of the contacts of an event whose keys are the person's.
func theirs(at projections.At, all []contactlists.Contact, keys []string) (of []contactlists.Contact) {
	for n, c := range all {
		if slices.Contains(keys, at.Key(n)) {
			of = append(of, c)
		}
	}
	return of
}

func orNothing(e event.Payload, of []contactlists.Contact) any {
	if len(of) == 0 {
		return nil
	}
	return e
}

// file packs a recording, or a file that somebody attached.
func (a archive) file(ctx context.Context, name, blob string, at time.Time) error {
	content, err := a.Blobs.Open(ctx, blob)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	defer func() { _ = content.Close() }()
	file, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Modified: at, Method: zip.Store})
	if err == nil {
		_, err = io.Copy(file, content)
	}
	if err != nil {
		return fmt.Errorf("packing %s: %w", name, err)
	}
	return nil
}

func (a archive) json(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	file, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Modified: a.Now(), Method: zip.Deflate})
	if err == nil {
		_, err = file.Write(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("packing %s: %w", name, err)
	}
	return nil
}
