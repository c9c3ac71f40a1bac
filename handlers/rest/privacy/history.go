package privacy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// history is the file of a stream, {"stream": ..., "events": [...]}, as it is written event by
// event, and the files that come beside it.
type history struct {
	to    io.Writer
	some  bool // of the events are written
	files []beside
}

// beside is a recording, or a file that somebody attached.
type beside struct {
	name, blob string
	at         time.Time
	passes     bool // it may be gone, and nobody says so here
}

func (h *history) begin(stream string) error {
	name, err := json.Marshal(stream)
	if err != nil {
		return fmt.Errorf("writing the name of %s: %w", stream, err)
	}
	_, err = fmt.Fprintf(h.to, "{\n  \"stream\": %s,\n  \"events\": [", name)
	return err
}

func (h *history) event(e told) error {
	data, err := json.MarshalIndent(e, "    ", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", e.ID, err)
	}
	between := "\n    "
	if h.some {
		between = ",\n    "
	}
	h.some = true
	_, err = h.to.Write(append([]byte(between), data...))
	return err
}

func (h *history) end() error {
	closing := "]\n}\n"
	if h.some {
		closing = "\n  ]\n}\n"
	}
	_, err := io.WriteString(h.to, closing)
	return err
}

func (h *history) beside(name, blob string, at time.Time) {
	h.files = append(h.files, beside{name, blob, at, false})
}

// attachment is what a file that somebody attached is called.
func attachment(id string) string { return "attachments/" + url.PathEscape(id) }

// message is what the recording of a voicemail is called.
func message(id, extension string) string { return "recordings/" + url.PathEscape(id) + extension }

// kept are the categories that have recordings and files beside their streams.
var kept = []*event.Category{calls.Calls.Category, voicemails.Voicemails.Category, sessions.Sessions.Category,
	completions.Completions.Category}

// told is what an event says of the person, nil if nothing; the recording of a call or a voicemail, the answer
// of a model and an attached file come beside it.
func (h *history) told(category *event.Category, r *eventstore.Record, p erasures.Place) (any, error) {
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
		h.beside("recordings/"+url.PathEscape(calls.Calls.StreamID(p.Stream))+".wav", e.Blob, e.At)
	case calls.MessageLeft: // of which a voicemail is made
		h.files = append(h.files, beside{message(e.VoicemailID, ".wav"), e.Blob, e.At, true})
	case voicemails.Recorded:
		h.beside(message(e.VoicemailID, e.Extension()), e.Blob, e.At)
	case completions.Finished:
		if e.Blob != "" {
			h.files = append(h.files, beside{"answers/" + url.PathEscape(e.CompletionID) + ".json", e.Blob, e.At, true})
		}
	case completions.AnswerDropped:
		h.files = nil
	case sessions.Attached:
		h.beside(attachment(e.AttachmentID), e.Blob, e.At)
	case sessions.MessageTakenBack: // whose files are there no more
		h.files = slices.DeleteFunc(h.files, func(f beside) bool {
			return slices.ContainsFunc(e.Attachments, func(id string) bool { return f.name == attachment(id) })
		})
	case event.Erased: // as the project keeps it no longer: what was beside it went with it
		if len(e.Erased().Keys) == 0 {
			h.files = nil
		}
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
