package contactcenter

import (
	"maps"
	"slices"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// conversation is a conversation as it is read.
type conversation struct {
	ConversationID string                    `json:"conversationId"`
	SessionID      string                    `json:"sessionId,omitempty"`
	Origin         string                    `json:"origin" enum:"hook,transfer,call" doc:"Who opened it; call: nobody but the call itself."`
	Status         string                    `json:"status" enum:"waiting,active,transferring,closing,ended" doc:"Of agents."`
	Experience     string                    `json:"experience,omitempty" enum:"chat,voice"`
	OpenedAt       string                    `json:"openedAt" format:"date-time"`
	EnteredAt      string                    `json:"enteredAt,omitempty" format:"date-time" doc:"The first agent's entry."`
	EndedAt        string                    `json:"endedAt,omitempty" format:"date-time"`
	EndReason      string                    `json:"endReason,omitempty"`
	Segments       int                       `json:"segments" doc:"A cold entry begins a segment, a redial does not."`
	Participants   []conversationParticipant `json:"participants" doc:"One per stay of an agent, in the order of their entries."`
	Summary        *conversationSummary      `json:"summary,omitempty" doc:"The newest one that was triggered."`
	NotesShown
}

type conversationParticipant struct {
	Identity     string           `json:"identity"`
	Name         string           `json:"name"`
	Segment      int              `json:"segment"`
	EnteredBy    string           `json:"enteredBy" enum:"na,cold,warm,redial"`
	EnteredAt    string           `json:"enteredAt" format:"date-time"`
	RedialedAt   string           `json:"redialedAt,omitempty" format:"date-time" doc:"When a redial continued the stay."`
	LeftBy       string           `json:"leftBy,omitempty" enum:"na,cold,warm"`
	LeftAt       string           `json:"leftAt,omitempty" format:"date-time" doc:"Absent while the agent is there."`
	Experience   string           `json:"experience" enum:"chat,voice"`
	IsExtAD      bool             `json:"isExtAD"`
	Reason       string           `json:"reason,omitempty"`
	Language     string           `json:"language,omitempty"`
	CustomFields hookCustomFields `json:"customFields"`
}

type conversationSummary struct {
	Status      string `json:"status" enum:"pending,done,failed"`
	Language    string `json:"language"`
	Locale      string `json:"locale"`
	Type        string `json:"type"`
	Text        string `json:"text,omitempty"`
	Provider    string `json:"provider,omitempty" doc:"local: made by rules."`
	Model       string `json:"model,omitempty"`
	Error       string `json:"error,omitempty" doc:"Of the last attempt, while there is no summary."`
	TriggeredAt string `json:"triggeredAt" format:"date-time"`
	FinishedAt  string `json:"finishedAt,omitempty" format:"date-time"`
}

type conversationMessage struct {
	Number     int    `json:"number"`
	Author     string `json:"author" enum:"USER,AGENT"`
	AgentID    string `json:"agentId"`
	Query      string `json:"query"`
	Source     string `json:"source"`
	Language   string `json:"language"`
	Experience string `json:"experience" enum:"chat,voice"`
	Assist     string `json:"assist,omitempty" enum:"pending,answered,failed" doc:"Of a message that asks the assisting agent."`
	At         string `json:"at" format:"date-time"`

	Suggestion    *AssistSuggestion `json:"suggestion,omitempty" doc:"What the assisting agent suggests; with answered."`
	AssistFailure *AssistFailure    `json:"assistFailure,omitempty" doc:"Why it suggests nothing; with failed."`
}

// AssistSuggestion is what the assisting agent suggests to say to a message.
type AssistSuggestion struct {
	Text      string `json:"text" doc:"Empty: it says nothing to that, as where it would give the conversation to people."`
	AgentName string `json:"agentName"`
	SessionID string `json:"sessionId" doc:"The session in which it was asked: its transcript and traces say how it came to this."`
	At        string `json:"at" format:"date-time"`
}

// AssistFailure is why there is no suggestion.
type AssistFailure struct {
	Code      string `json:"code" example:"NO_AGENT" doc:"NO_AGENT, UNKNOWN_AGENT, AGENT_NOT_RUN, TIMEOUT, QUEUE_FULL, REFUSED, CANCELLED, CONVERSATION_ENDED, ERASED, or what the turn failed with, such as STEP_LIMIT."`
	Message   string `json:"message,omitempty"`
	SessionID string `json:"sessionId,omitempty" doc:"Left out: no session was asked."`
	At        string `json:"at" format:"date-time"`
}

// NotesShown are the members that PATCH sets.
type NotesShown struct {
	Dispositions       []string          `json:"dispositions"`
	DispositionRemarks []string          `json:"dispositionRemarks"`
	AgentNotes         []string          `json:"agentNotes"`
	UserLevelTags      []string          `json:"userLevelTags"`
	SessionLevelTags   []conversationTag `json:"sessionLevelTags"`
	AfterCallWork      []afterCallWork   `json:"afterCallWork" doc:"One per agent."`
	MetaInfo           jsontext.Object   `json:"metaInfo,omitempty"`
}

type conversationTag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type afterCallWork struct {
	AgentID    string `json:"agentId,omitempty"`
	StartedAt  string `json:"startedAt,omitempty" format:"date-time"`
	EndedAt    string `json:"endedAt,omitempty" format:"date-time"`
	DurationMs int64  `json:"durationMs"`
}

func showConversation(c contactcenter.ConversationInfo) conversation {
	out := conversation{ConversationID: c.ConversationID, SessionID: c.SessionID, Origin: c.Origin, Status: c.Status,
		Experience: c.Experience,
		OpenedAt:   rest.ISOTime(&c.OpenedAt), EnteredAt: rest.ISOTime(c.EnteredAt), EndedAt: rest.ISOTime(c.EndedAt), EndReason: c.EndReason,
		Segments: c.Segments, Participants: []conversationParticipant{}}
	for _, p := range c.Participants {
		out.Participants = append(out.Participants, conversationParticipant{Identity: p.Identity, Name: p.Name, Segment: p.Segment,
			EnteredBy: p.EnteredBy, EnteredAt: rest.ISOTime(&p.EnteredAt),
			RedialedAt: rest.ISOTime(p.RedialedAt), LeftBy: p.LeftBy, LeftAt: rest.ISOTime(p.LeftAt), Experience: p.Experience, IsExtAD: p.External,
			Reason: p.Reason, Language: p.Language,
			CustomFields: hookCustomFields{HumanAgentEmail: p.AgentEmail, QueueID: p.QueueID, QueueName: p.QueueName}})
	}
	if s := c.Summary; s.Number > 0 && s.Wanted != nil {
		out.Summary = &conversationSummary{Status: s.Status, Language: s.Wanted.Language, Locale: s.Wanted.Locale, Type: s.Wanted.Type,
			Text:     s.Text,
			Provider: s.Provider, Model: s.Model,
			Error: s.Error, TriggeredAt: rest.ISOTime(s.AskedAt), FinishedAt: rest.ISOTime(s.OutcomeAt)}
	}
	out.NotesShown = NotesShown{Dispositions: neverNil(c.Dispositions), DispositionRemarks: neverNil(c.DispositionRemarks),
		AgentNotes: neverNil(c.AgentNotes), UserLevelTags: neverNil(c.UserLevelTags),
		SessionLevelTags: showTags(c.SessionLevelTags), AfterCallWork: showWork(c.AfterCallWork), MetaInfo: jsontext.Object(c.MetaInfo)}
	return out
}

// notesOf are the notes of a folded conversation.
func notesOf(n conversations.Notes) NotesShown {
	var work []conversations.AfterCallWork
	for _, agent := range slices.Sorted(maps.Keys(n.AfterCallWork)) {
		work = append(work, n.AfterCallWork[agent])
	}
	return NotesShown{Dispositions: neverNil(n.Dispositions), DispositionRemarks: neverNil(n.DispositionRemarks),
		AgentNotes: neverNil(n.AgentNotes), UserLevelTags: neverNil(n.UserLevelTags),
		SessionLevelTags: showTags(n.SessionLevelTags), AfterCallWork: showWork(work), MetaInfo: jsontext.Object(n.MetaInfo)}
}

// neverNil is the list, empty where there is none.
func neverNil[T any](items []T) []T { return append([]T{}, items...) }

func showTags(tags []conversations.Tag) []conversationTag {
	out := []conversationTag{}
	for _, t := range tags {
		out = append(out, conversationTag(t))
	}
	return out
}

func showWork(work []conversations.AfterCallWork) []afterCallWork {
	out := []afterCallWork{}
	for _, w := range work {
		shown := afterCallWork{AgentID: w.HumanAgentID, DurationMs: w.DurationMs}
		if !w.StartedAt.IsZero() {
			shown.StartedAt, shown.EndedAt = rest.ISOTime(&w.StartedAt), rest.ISOTime(&w.EndedAt)
		}
		out = append(out, shown)
	}
	return out
}

func showMessage(m contactcenter.ConversationMessage) conversationMessage {
	out := conversationMessage{Number: m.Number, Author: m.Author, AgentID: m.HumanAgentID, Query: m.Query, Source: m.Source,
		Language: m.Language, Experience: m.Experience, Assist: m.Assist, At: rest.ISOTime(&m.At)}
	switch m.Assist {
	case contactcenter.AssistAnswered:
		out.Suggestion = &AssistSuggestion{Text: m.Suggestion, AgentName: m.AssistAgent, SessionID: m.AssistSession,
			At: rest.ISOTime(m.AssistedAt)}
	case contactcenter.AssistFailed:
		out.AssistFailure = &AssistFailure{Code: m.AssistCode, Message: m.AssistProblem, SessionID: m.AssistSession,
			At: rest.ISOTime(m.AssistedAt)}
	}
	return out
}
