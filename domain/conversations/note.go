package conversations

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Limits of notes.
const (
	MaxNotes       = 50         // items of a list
	MaxNote        = 2_000      // characters of a remark or a note
	MaxTag         = 256        // characters of a disposition, a tag or its name
	MaxDepth       = 10         // levels of objects and arrays in it
	MaxMetaInfo    = 16 << 10   // bytes
	MaxAfterCallMs = 86_400_000 // a day
)

// Tag is a named value, as sessionleveltags of call details show it.
type Tag struct {
	Name  string `json:"name"`
	Value string `json:"value" personal:"participant"`
}

// AfterCallWork is what an agent had to do after a conversation.
type AfterCallWork struct {
	HumanAgentID string    `json:"agentId,omitempty" personal:"agent" key:"own"` // empty: of the conversation
	StartedAt    time.Time `json:"startedAt,omitzero"`                           // zero: only the duration is known
	EndedAt      time.Time `json:"endedAt,omitzero"`
	DurationMs   int64     `json:"durationMs"`
}

// Notes is what agents noted about the conversation: the source of the fields of
// the same names in call details.
type Notes struct {
	Dispositions       []string
	DispositionRemarks []string
	AgentNotes         []string
	UserLevelTags      []string
	SessionLevelTags   []Tag
	MetaInfo           json.RawMessage          `json:",omitempty"` // an object; empty: none
	AfterCallWork      map[string]AfterCallWork // by agent id
}

// Note sets what agents note, at any time, after the end as well. A nil member
// leaves what is there; any other takes its place.
type Note struct {
	Dispositions       *[]string
	DispositionRemarks *[]string
	AgentNotes         *[]string
	AgentNotesAs       string // the name by which they were given, for their faults; empty: agentNotes
	UserLevelTags      *[]string
	SessionLevelTags   *[]Tag
	MetaInfo           json.RawMessage // an object
	AfterCallWork      *WorkDone       // takes the place of the same agent's
	SessionID          string          // the conversation's session, said once
	Call               *Call           // whose own conversation it is; nil: no call's
	At                 time.Time
}

// Call is a call whose own conversation is noted about: nobody needs to have opened it.
type Call struct {
	TenantID  string
	ProjectID string
	CallID    string // the conversation's id
	SessionID string // empty: it was never answered
	Forgotten bool   // nobody knows any more who was called
	At        time.Time
}

// WorkDone is after-call work as it is told: by its times or by its duration.
type WorkDone struct {
	HumanAgentID       string
	StartedAt, EndedAt *time.Time
	DurationMs         *int64
}

// Noted carries the members that changed, each with all that it is now.
type Noted struct {
	Dispositions       *[]string       `json:"dispositions,omitempty"`
	DispositionRemarks *[]string       `json:"dispositionRemarks,omitempty" personal:"participant"`
	AgentNotes         *[]string       `json:"agentNotes,omitempty" personal:"participant"`
	UserLevelTags      *[]string       `json:"userLevelTags,omitempty" personal:"participant"`
	SessionLevelTags   *[]Tag          `json:"sessionLevelTags,omitempty"`
	MetaInfo           json.RawMessage `json:"metaInfo,omitempty" personal:"participant"`
	AfterCallWork      *AfterCallWork  `json:"afterCallWork,omitempty"` // of one agent
	SessionID          string          `json:"sessionId,omitempty"`
	At                 time.Time       `json:"at"`
}

var _ = event.Register[Noted](Conversations, "noted", 1)

// Decide keeps only what differs. The first note about a call opens its conversation. Of a call that was forgotten nobody would
// know whom a note is about, when they are to be erased.
func (c Note) Decide(s State) ([]event.Payload, error) {
	if c.Call != nil && c.Call.Forgotten && len(s.Persons) == 0 && (s.Phase == Unknown || s.Origin == ByCall) {
		if _, err := c.validate(); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.Gone, "the call was forgotten, and nothing more is noted about it")
	}
	if s.Phase != Unknown {
		return c.noted(s)
	}
	if c.Call == nil {
		return nil, fault.New(fault.NotFound, "there is no such conversation")
	}
	opened := Opened{ConversationID: c.Call.CallID, TenantID: c.Call.TenantID, ProjectID: c.Call.ProjectID, SessionID: c.Call.SessionID,
		Origin: ByCall, Experience: Voice,
		At: stamp(c.Call.At)}
	Conversations.Fold(&s, opened)
	out, err := c.noted(s)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return append([]event.Payload{opened}, out...), nil
}

func (c Note) noted(s State) ([]event.Payload, error) {
	work, err := c.validate()
	if err != nil {
		return nil, err
	}
	e := Noted{At: stamp(c.At)}
	e.Dispositions = changed(s.Notes.Dispositions, c.Dispositions)
	e.DispositionRemarks = changed(s.Notes.DispositionRemarks, c.DispositionRemarks)
	e.AgentNotes = changed(s.Notes.AgentNotes, c.AgentNotes)
	e.UserLevelTags = changed(s.Notes.UserLevelTags, c.UserLevelTags)
	e.SessionLevelTags = changed(s.Notes.SessionLevelTags, c.SessionLevelTags)
	if len(c.MetaInfo) > 0 && !bytes.Equal(s.Notes.MetaInfo, c.MetaInfo) {
		e.MetaInfo = c.MetaInfo
	}
	if work != nil {
		was, known := s.Notes.AfterCallWork[work.HumanAgentID]
		if !known && len(s.Notes.AfterCallWork) >= MaxNotes {
			return nil, fault.Field("afterCallWork", "is kept for at most %d agents of a conversation", MaxNotes)
		}
		if !known || was != *work {
			e.AfterCallWork = work
		}
	}
	session := c.SessionID
	if session == "" && c.Call != nil && s.SessionID == "" {
		session = c.Call.SessionID // answered since
	}
	if session != s.SessionID && session != "" {
		if s.SessionID != "" {
			return nil, fault.New(fault.Conflict, "the conversation belongs to another session")
		}
		e.SessionID = session
	}
	if e.empty() {
		return nil, nil
	}
	return []event.Payload{e}, nil
}

func (e Noted) empty() bool {
	return e.Dispositions == nil && e.DispositionRemarks == nil && e.AgentNotes == nil && e.UserLevelTags == nil &&
		e.SessionLevelTags == nil &&
		e.MetaInfo == nil && e.AfterCallWork == nil && e.SessionID == ""
}

func changed[T comparable](have []T, given *[]T) *[]T {
	if given == nil || slices.Equal(have, *given) {
		return nil
	}
	return given
}

func (c Note) validate() (*AfterCallWork, error) {
	var f fault.Fields
	for _, list := range []struct {
		name  string
		items *[]string
		most  int
	}{{"dispositions", c.Dispositions, MaxTag}, {"dispositionRemarks", c.DispositionRemarks, MaxNote},
		{cmp.Or(c.AgentNotesAs, "agentNotes"), c.AgentNotes, MaxNote}, {"userLevelTags", c.UserLevelTags, MaxTag}} {
		if list.items != nil {
			checkList(&f, list.name, *list.items, list.most)
		}
	}
	if c.SessionLevelTags != nil {
		checkTags(&f, *c.SessionLevelTags)
	}
	if len(c.MetaInfo) > MaxMetaInfo {
		f.Add("metaInfo", "must be at most %d bytes", MaxMetaInfo)
	} else if len(c.MetaInfo) > 0 && !attached.IsObject(c.MetaInfo, MaxDepth) {
		f.Add("metaInfo", "must be an object of at most %d levels", MaxDepth)
	}
	if c.SessionID != "" {
		access.CheckID(&f, "sessionId", c.SessionID)
	}
	work := c.AfterCallWork.validate(&f)
	return work, f.Err()
}

func checkList(f *fault.Fields, name string, items []string, most int) {
	if len(items) > MaxNotes {
		f.Add(name, "must have at most %d items", MaxNotes)
	}
	for i, item := range items {
		checkItem(f, fmt.Sprintf("%s[%d]", name, i), item, most)
	}
}

func checkItem(f *fault.Fields, name, text string, most int) {
	switch {
	case strings.TrimSpace(text) == "":
		f.Add(name, "must not be empty")
	case utf8.RuneCountInString(text) > most:
		f.Add(name, "must have at most %d characters", most)
	}
}

func checkTags(f *fault.Fields, tags []Tag) {
	if len(tags) > MaxNotes {
		f.Add("sessionLevelTags", "must have at most %d items", MaxNotes)
	}
	for i, tag := range tags {
		name := fmt.Sprintf("sessionLevelTags[%d]", i)
		checkItem(f, name+".name", tag.Name, MaxTag)
		if utf8.RuneCountInString(tag.Value) > MaxNote {
			f.Add(name+".value", "must have at most %d characters", MaxNote)
		}
	}
}

// validate makes one form of the two.
func (w *WorkDone) validate(f *fault.Fields) *AfterCallWork {
	if w == nil {
		return nil
	}
	m := members{f, "afterCallWork."}
	m.optional("agentId", w.HumanAgentID, MaxText)
	out := &AfterCallWork{HumanAgentID: w.HumanAgentID}
	switch times := w.StartedAt != nil || w.EndedAt != nil; {
	case times && w.DurationMs != nil:
		m.add("durationMs", "must be absent beside startedAt and endedAt")
	case w.DurationMs != nil:
		out.DurationMs = *w.DurationMs
	case w.StartedAt == nil || w.EndedAt == nil:
		f.Add("afterCallWork", "needs startedAt and endedAt, or durationMs")
	default:
		out.StartedAt, out.EndedAt = w.StartedAt.UTC(), w.EndedAt.UTC()
		if out.EndedAt.Before(out.StartedAt) {
			m.add("endedAt", "is before startedAt")
		} else {
			out.DurationMs = out.EndedAt.Sub(out.StartedAt).Milliseconds()
		}
	}
	if out.DurationMs < 0 || out.DurationMs > MaxAfterCallMs {
		f.Add("afterCallWork", "must last from 0 to %d ms", MaxAfterCallMs)
	}
	return out
}

// Apply folds the event.
func (e Noted) Apply(s *State) {
	replace(&s.Notes.Dispositions, e.Dispositions)
	replace(&s.Notes.DispositionRemarks, e.DispositionRemarks)
	replace(&s.Notes.AgentNotes, e.AgentNotes)
	replace(&s.Notes.UserLevelTags, e.UserLevelTags)
	replace(&s.Notes.SessionLevelTags, e.SessionLevelTags)
	if e.MetaInfo != nil {
		s.Notes.MetaInfo = slices.Clone(e.MetaInfo)
	}
	if e.AfterCallWork != nil {
		all := maps.Clone(s.Notes.AfterCallWork)
		if all == nil {
			all = map[string]AfterCallWork{}
		}
		all[e.AfterCallWork.HumanAgentID] = *e.AfterCallWork
		s.Notes.AfterCallWork = all
	}
	if e.SessionID != "" {
		s.SessionID = e.SessionID
	}
	s.LastAt = e.At
}

func replace[T any](have *[]T, now *[]T) {
	if now != nil {
		*have = slices.Clone(*now)
	}
}
