package conversations

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// end is the END_OF_CONVERSATION.
type end struct {
	agent      Participant
	reason     string
	language   string
	experience Experience
}

// end reads an END_OF_CONVERSATION.
func (t Told) end(m members) step {
	m.text("reason", t.Reason, MaxText)
	m.text("language", t.Language, MaxLanguage)
	return end{agent: m.participant(t.Participant), reason: t.Reason, language: t.Language, experience: oneOf(m, "experience", t.Experience,
		true, Chat, Voice)}
}

// ConversationEnded is the end: nothing is taken after it but notes.
type ConversationEnded struct {
	Reason       string       `json:"reason" personal:"participant"`
	Language     string       `json:"language"`
	Experience   Experience   `json:"experience"`
	Identity     string       `json:"identity" personal:"agent" key:"own"`
	Name         string       `json:"name" personal:"agent" key:"own"`
	CustomFields CustomFields `json:"customFields,omitzero"`
	At           time.Time    `json:"at"`
}

var _ = event.Register[ConversationEnded](Conversations, "ended", 1)

func (c end) decide(s State, about About) ([]event.Payload, string, error) {
	switch s.Phase {
	case Closing:
		return append(s.unassisted(s.Asked, AssistEnded, about.At), ConversationEnded{Reason: c.reason, Language: c.language,
			Experience: c.experience, Identity: c.agent.Identity, Name: c.agent.Name, CustomFields: c.agent.CustomFields,
			At: stamp(about.At)}), "", nil
	case Unknown, Waiting:
		return nil, "the first event is the NA entry of an agent, or a redial entry", nil
	}
	return nil, "the end comes after the NA exit of the last agent", nil
}

// Told reports whether hooks told of the end. Else it came with the last transfer of the conversation, which says
// nothing of others: of two transfers that were asked for at once each has a conversation, and one of them goes on.
func (e ConversationEnded) Told() bool { return e.Identity != "" }

// Apply folds the event.
func (e ConversationEnded) Apply(s *State) { s.Phase, s.EndedAt = Ended, e.At }
