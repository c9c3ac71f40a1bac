package tasks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// folded is a task as it comes out of the streams.
type folded struct {
	ref      Ref
	first    *threads.Received // that began it; nil: there is no such task
	messages []message         // its own, in their order
	replies  map[string]string // texts as they are shown, by their ids in the session
	files    map[int][]threads.Fetched
	attached map[string]string // where files are downloaded, by their ids
	sessions []string          // that took its messages
	dropped  time.Time         // zero: it was not
	unheard  bool              // no session was known to have its last message by then
	erased   bool

	status    a2a.Status
	turn      int
	suspended bool
}

// message is one of the task's, and what came of it.
type message struct {
	threads.Received
	fate  threads.Fate
	texts []text // that answer it
	asks  bool   // with them the agent waits for more
}

// text is one that answers.
type text struct {
	shown   string
	missing time.Time // since when it is not in the thread yet; zero: it is
}

// reading takes what a thread says of a task.
func reading(ref Ref, events []eventstore.Recorded) *folded {
	f := &folded{ref: ref, replies: map[string]string{}, files: map[int][]threads.Fetched{}, attached: map[string]string{}}
	var fates threads.Fates
	for _, e := range events {
		fates.Told(e.Payload)
		switch e := e.Payload.(type) {
		case threads.Received:
			if e.Number == ref.Number && e.Continues == 0 {
				f.first = &e
			}
			if e.Begins() == ref.Number {
				f.messages = append(f.messages, message{Received: e})
				fates.Follow(e)
			}
		case threads.Queued:
			f.replies[e.MessageID] = e.Text(projections.Erased)
		case threads.FilesFetched:
			f.files[e.Number] = e.Files
		case threads.Dropped:
			if e.Number == ref.Number && f.dropped.IsZero() {
				f.dropped, f.unheard = e.At, f.waits(fates)
			}
		case threads.Forgotten:
			f.erased = f.first != nil
		}
	}
	for i := range f.messages {
		m := &f.messages[i]
		if m.fate = fates.Of(m.Number); m.fate.Session != "" && !slices.Contains(f.sessions, m.fate.Session) {
			f.sessions = append(f.sessions, m.fate.Session)
		}
	}
	return f
}

// waits is whether the last message that has come is neither taken nor refused.
func (f *folded) waits(fates threads.Fates) bool {
	if len(f.messages) == 0 {
		return false
	}
	last := fates.Of(f.messages[len(f.messages)-1].Number)
	return last.Session == "" && last.Refused == ""
}

// hasBegun is whether all that a session says of the task is among its newest events: the first of the task's messages, and the
// files that came with it.
func (f *folded) hasBegun(id string, newest []eventstore.Recorded) bool {
	i := slices.IndexFunc(f.messages, func(m message) bool { return m.fate.Session == id })
	attached := map[string]bool{}
	for _, e := range newest {
		if file, is := e.Payload.(sessions.Attached); is {
			attached[file.AttachmentID] = true
		}
		if said, is := sessions.HeardAs(e.Payload); is && said.MessageID == f.messages[i].fate.MessageID {
			return !slices.ContainsFunc(said.Attachments, func(id string) bool { return !attached[id] })
		}
	}
	return false
}

// session takes what a session says of the task. Link is the address of a file.
func (f *folded) session(id string, told eventstore.Told[sessions.State], link func(fileID string) string) {
	var at *message // whose answer is being told; nil: that of another task
	turns := map[int]*message{}
	begin := func(messageID string) {
		at = nil
		for i := range f.messages {
			if m := f.messages[i].fate; m.Session == id && m.MessageID == messageID {
				at = &f.messages[i]
			}
		}
	}
	for _, e := range told.Events {
		switch e := e.Payload.(type) {
		case sessions.Attached:
			f.attached[e.AttachmentID] = link(sessions.FileID(id, e.AttachmentID))
		case sessions.MessageReceived:
			if begin(e.MessageID); at != nil {
				f.status = a2a.Status{State: a2a.Working, At: e.At}
			}
			turns[e.Turn] = at
		case sessions.PassedOn:
			if begin(e.MessageID); at != nil {
				f.status = a2a.Status{State: a2a.InputRequired, At: e.At}
			}
		case sessions.Said:
			of, known := turns[e.Turn]
			if !known && !f.over(e.At) { // the turn goes on behind people
				of = at
			}
			f.said(of, e.MessageID, e.Text, len(e.Rich) > 0, e.At)
		case sessions.PersonSaid:
			if !f.over(e.At) {
				f.said(at, e.MessageID, e.Text, false, e.At)
			}
		case sessions.TurnEnded:
			if of, known := turns[e.Turn]; of != nil || !known && at != nil && !f.over(e.At) {
				f.ended(e, of)
			}
		case sessions.SessionEnded:
			if at != nil && f.status.State == a2a.InputRequired && !f.over(e.At) { // nobody answered any more
				f.status = a2a.Status{State: a2a.Canceled, At: e.At}
			}
		}
	}
	if at == nil || f.status.State != a2a.Working {
		return
	}
	if r := told.State.Talk.Running; r != nil {
		f.turn, f.suspended = told.State.Talk.Turns, r.Suspended != nil
	}
}

// over is whether who sent the task wanted nothing more of it by then: people may have its conversation still, and what they and
// the agent make of it is none of the task's. A turn that one of its messages began is cut off, or ends it by itself.
func (f *folded) over(by time.Time) bool { return !f.dropped.IsZero() && by.After(f.dropped) }

// said takes a text that answers one of its messages; nil: that of another task.
func (f *folded) said(of *message, id, words string, more bool, at time.Time) {
	if of == nil {
		return
	}
	if shown, is := f.replies[id]; is {
		of.texts = append(of.texts, text{shown: shown})
	} else if strings.TrimSpace(words) != "" || more {
		of.texts = append(of.texts, text{words, at})
	}
}

// ended takes the end of a turn that one of its messages began.
func (f *folded) ended(e sessions.TurnEnded, of *message) {
	f.status = a2a.Status{State: a2a.Completed, At: e.At}
	switch {
	case e.Action == sessions.CutOff:
		f.status.State = a2a.Canceled
	case e.Failed != "":
		f.status.State = a2a.Failed
		f.status.Message = f.says("the turn failed: "+e.Failed, "status")
	case e.Action == sessions.ToPeople:
		f.status.State = a2a.InputRequired
	case e.Action == sessions.Continue && waitsForMore(e.Waits.For):
		f.status.State = a2a.InputRequired
		if of != nil {
			of.asks = true
		}
	}
}

// waitsForMore is whether the agent cannot go on without an answer to what it asked.
func waitsForMore(w sessions.WaitFor) bool {
	return w == sessions.ForSlot || w == sessions.ForAction || w == sessions.ForConfirm
}

func (f *folded) says(text, id string) *a2a.Message {
	return &a2a.Message{ID: f.ref.ID() + "-" + id, ContextID: f.first.Thread, TaskID: f.ref.ID(), ByAgent: true,
		Parts: []a2a.Part{{Text: text}}}
}

// hold is for how long a text that is not in the thread yet is not told, and its task does not rest: the
// thread numbers what can be chosen, and understands what is answered to that. Who was told it before
// would never hear of the choices.
const hold = 10 * time.Second

// told are the texts of a message up to the first that has to wait.
func (f *folded) told(m message, now time.Time) (out []a2a.Part, all bool) {
	for _, t := range m.texts {
		if !t.missing.IsZero() && !f.erased && now.Sub(t.missing) < hold {
			return out, false
		}
		out = append(out, a2a.Part{Text: t.shown})
	}
	return out, true
}

// task is all of it.
func (f *folded) task(now time.Time) Task {
	last := f.messages[len(f.messages)-1]
	out := Task{Ref: f.ref, TenantID: f.first.TenantID, ConnectionID: f.first.ConnectionID, SessionID: last.fate.Session, Turn: f.turn,
		Suspended: f.suspended}
	out.Task = a2a.Task{ID: f.ref.ID(), ContextID: f.first.Thread, Status: f.status}
	switch {
	case last.fate.Refused != "" && last.fate.Refused != threads.CodeDropped:
		out.Status = a2a.Status{State: a2a.Failed, At: last.fate.RefusedAt, Message: f.says(last.fate.Reason, "status")}
		if last.Number == f.first.Number {
			out.Status.State = a2a.Rejected
		}
	case last.fate.Session == "" && last.Number == f.first.Number:
		out.Status = a2a.Status{State: a2a.Submitted, At: last.At}
	case last.fate.Session == "", f.status.State == "":
		out.Status = a2a.Status{State: a2a.Working, At: last.At}
	}
	lags := false
	for i, m := range f.messages {
		out.History = append(out.History, f.heard(m))
		parts, all := f.told(m, now)
		if lags = lags || !all; len(parts) == 0 {
			continue
		}
		name := fmt.Sprintf("answer-%d", i+1)
		out.Artifacts = append(out.Artifacts, a2a.Artifact{ID: name, Name: "answer", Parts: parts})
		if !m.asks {
			continue
		}
		question := f.says("", name)
		question.Parts = parts
		if out.History = append(out.History, *question); i == len(f.messages)-1 && out.Status.State == a2a.InputRequired {
			out.Status.Message = question
		}
	}
	switch {
	case f.unheard: // whatever becomes of a turn that had begun meanwhile, who cancelled it was told so
		out.Status = a2a.Status{State: a2a.Canceled, At: f.dropped}
	case !f.dropped.IsZero() && !out.Status.State.Terminal() && f.turn == 0: // a turn that runs may still end by itself
		out.Status = a2a.Status{State: a2a.Canceled, At: f.dropped}
	case lags && out.Status.State.Pauses():
		out.Status = a2a.Status{State: a2a.Working, At: out.Status.At}
	}
	if out.SessionID != "" {
		out.Metadata = map[string]any{"sessionId": out.SessionID}
	}
	return out
}

// heard is a message of the other side, as far as it was kept: its text, the data that stood beside it, and the files that
// came with it.
func (f *folded) heard(m message) a2a.Message {
	out := a2a.Message{ID: m.ExternalID, ContextID: m.Thread, TaskID: f.ref.ID()}
	data := dataOf(m)
	if m.Text != "" && !isData(m.Text, data) {
		out.Parts = append(out.Parts, a2a.Part{Text: m.Text})
	}
	for _, d := range data {
		out.Parts = append(out.Parts, a2a.Part{Data: d})
	}
	for i, file := range f.files[m.Number] {
		out.Parts = append(out.Parts, f.brought(m, i, file))
	}
	if len(out.Parts) == 0 { // a message without a part is none to the protocol, also where all of it was erased
		out.Parts = []a2a.Part{{}}
	}
	return out
}

// brought is a file of a message: where the session has it, else where its sender said that it is. Of one that is nowhere
// the words say why.
func (f *folded) brought(m message, i int, file threads.Fetched) a2a.Part {
	at := f.attached[file.AttachmentID]
	if at == "" && i < len(m.Files) {
		at = m.Files[i].URL
	}
	if at != "" {
		return a2a.Part{File: &a2a.File{Name: file.Name, MediaType: file.ContentType, URI: at}}
	}
	why := cmp.Or(file.Reason, "no session has taken it")
	return a2a.Part{Text: fmt.Sprintf("(%s: %s)", cmp.Or(file.Name, "a file"), why)}
}

// dataOf are the data of a message: what goes with its turn has them, in their order.
func dataOf(m message) []json.RawMessage {
	var with struct{ Data []json.RawMessage }
	if json.Unmarshal(m.Metadata, &with) != nil {
		return nil // nothing goes with it
	}
	return with.Data
}

// isData is whether a text is the data of its message, one after the other: there was no other.
func isData(text string, data []json.RawMessage) bool {
	d := json.NewDecoder(strings.NewReader(text))
	for _, want := range data {
		var next json.RawMessage
		if d.Decode(&next) != nil {
			return false
		}
		var a, b bytes.Buffer
		if json.Compact(&a, next) != nil || json.Compact(&b, want) != nil || a.String() != b.String() {
			return false
		}
	}
	return len(data) > 0 && !d.More()
}
