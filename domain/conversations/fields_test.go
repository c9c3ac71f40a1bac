package conversations_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
)

// Each member of a hook's body that a message needs.
func TestMembersOfAMessage(t *testing.T) {
	given := after(t, in("NA", "a1")).state()
	for field, edits := range map[string][]func(*conversations.Receive){
		"conversationId": {func(c *conversations.Receive) { c.ConversationID = "" }, func(c *conversations.Receive) { c.ConversationID = "a/b" },
			func(c *conversations.Receive) { c.ConversationID = strings.Repeat("x", 129) }},
		"query": {func(c *conversations.Receive) { c.Query = "" }, func(c *conversations.Receive) {
			c.Query = strings.Repeat("é", conversations.MaxQuery+1)
		}},
		"agentId": {func(c *conversations.Receive) { c.HumanAgentID = " " }, func(c *conversations.Receive) {
			c.HumanAgentID = strings.Repeat("x",
				257)
		}, func(c *conversations.Receive) { c.HumanAgentID = "a\nb" }},
		"experience":       {func(c *conversations.Receive) { c.Experience = "" }, func(c *conversations.Receive) { c.Experience = "video" }},
		"author.type":      {func(c *conversations.Receive) { c.AuthorType = "" }, func(c *conversations.Receive) { c.AuthorType = "BOT" }},
		"source":           {func(c *conversations.Receive) { c.Source = "" }},
		"sendUserMessage":  {func(c *conversations.Receive) { c.SendUserMessage = nil }},
		"sendAgentMessage": {func(c *conversations.Receive) { c.SendAgentMessage = nil }},
		"language":         {func(c *conversations.Receive) { c.Language = "" }, func(c *conversations.Receive) { c.Language = "not a code" }},
	} {
		for _, edit := range edits {
			c := message("USER")
			edit(&c)
			_, err := c.Decide(given)
			requireFields(t, err, field)
		}
	}
	c := message("user")
	c.Query, c.HumanAgentID, c.ConversationID, c.Experience, c.Language = strings.Repeat("é", conversations.MaxQuery),
		strings.Repeat("x", 256),
		strings.Repeat("x", 128), "Voice", "pt_BR"
	got, err := c.Decide(given)
	require.NoError(t, err)
	require.Equal(t, conversations.MessageReceived{Number: 1, Author: conversations.User, HumanAgentID: c.HumanAgentID, Query: c.Query,
		Recorded: true,
		Source:   "genesys", Language: "pt_BR",
		Experience: conversations.Voice, SendUserMessage: true, SendAgentMessage: true, At: noon}, got[0])
}

func TestWhatSendUserAndSendAgentMessageDo(t *testing.T) {
	for _, c := range []struct {
		author           string
		user, agent      bool
		recorded, assist bool
	}{
		{"USER", true, false, true, true}, {"USER", true, true, true, true}, {"USER", false, false, true, false},
		{"USER", false, true, true, false},
		{"AGENT", false, true, true, false}, {"AGENT", true, true, true, false}, {"AGENT", false, false, false, false},
		{"AGENT", true, false, false, false},
	} {
		told := message(c.author)
		told.SendUserMessage, told.SendAgentMessage = &c.user, &c.agent
		got, err := told.Decide(after(t, in("NA", "a1")).state())
		require.NoError(t, err)
		e := got[0].(conversations.MessageReceived)
		require.Equal(t, c.recorded, e.Recorded, "%+v", c)
		require.Equal(t, c.recorded, e.Query != "", "%+v", c)
		require.Equal(t, c.assist, e.AsksAssist(), "%+v", c)
	}
}

func TestTheSameMessageTwiceIsTwoMessages(t *testing.T) {
	w := after(t, in("NA", "a1"))
	for i := range 2 {
		got, err := message("USER").Decide(w.state())
		require.NoError(t, err)
		w.past = append(w.past, got...)
		require.Equal(t, i+1, w.state().Messages)
	}
}

// Each member of a hook's event that a transfer needs.
func TestMembersOfATransfer(t *testing.T) {
	type told = conversations.Told
	for field, edits := range map[string][]func(*told){
		"events[0].name":         {func(e *told) { e.Name = "" }, func(e *told) { e.Name = "START" }},
		"events[0].transfertype": {func(e *told) { e.TransferType = "" }, func(e *told) { e.TransferType = "hot" }},
		"events[0].transition": {func(e *told) { e.Transition = "" }, func(e *told) { e.Transition = "pause" },
			func(e *told) { e.TransferType, e.Transition = "redial", "exit" }},
		"events[0].isExtAD":     {func(e *told) { e.IsExtAD = nil }},
		"events[0].experience":  {func(e *told) { e.Experience = "" }, func(e *told) { e.Experience = "mail" }},
		"events[0].reason":      {func(e *told) { e.Reason = strings.Repeat("x", 257) }},
		"events[0].language":    {func(e *told) { e.Language = strings.Repeat("x", 65) }},
		"events[0].participant": {func(e *told) { e.Participant = nil }},
		"events[0].participant.identity": {func(e *told) { e.Participant.Identity = "" },
			func(e *told) { e.Participant.Identity = strings.Repeat("x", 257) }, func(e *told) { e.Participant.Identity = "a\x7fb" }},
		"events[0].participant.name": {func(e *told) { e.Participant.Name = "" }},
		"events[0].participant.type": {func(e *told) { e.Participant.Type = "" },
			func(e *told) { e.Participant.Type = "user" }},
		"events[0].participant.customFields.agentEmail": {func(e *told) {
			e.Participant.CustomFields.HumanAgentEmail = strings.Repeat("x",
				257)
		}},
		"events[0].participant.customFields.queueId":   {func(e *told) { e.Participant.CustomFields.QueueID = strings.Repeat("x", 257) }},
		"events[0].participant.customFields.queueName": {func(e *told) { e.Participant.CustomFields.QueueName = "a\nb" }},
	} {
		for _, edit := range edits {
			e := in("NA", "a1")
			edit(&e)
			_, err := (&talk{}).tell(e)
			requireFields(t, err, field)
		}
	}
	bare := in("NA", "a1")
	bare.Reason, bare.Language = "", ""
	_, err := (&talk{}).tell(bare)
	require.NoError(t, err, "reason and language are optional")
}

func TestMembersOfASummaryTriggerAndOfTheEnd(t *testing.T) {
	closing := func() *talk { return after(t, in("NA", "a1"), out("NA", "a1")) }
	for field, edit := range map[string]func(*conversations.Told){
		"events[0].data":          func(e *conversations.Told) { e.Data = nil },
		"events[0].data.language": func(e *conversations.Told) { e.Data.Language = "" },
		"events[0].data.locale":   func(e *conversations.Told) { e.Data.Locale = "" },
		"events[0].data.type":     func(e *conversations.Told) { e.Data.Type = "no kind" },
	} {
		e := summary("post")
		edit(&e)
		_, err := closing().tell(e)
		requireFields(t, err, field)
	}
	for field, edit := range map[string]func(*conversations.Told){
		"events[0].reason":      func(e *conversations.Told) { e.Reason = "" },
		"events[0].language":    func(e *conversations.Told) { e.Language = "" },
		"events[0].experience":  func(e *conversations.Told) { e.Experience = "" },
		"events[0].participant": func(e *conversations.Told) { e.Participant = nil },
	} {
		e := ended()
		edit(&e)
		_, err := closing().tell(e)
		requireFields(t, err, field)
	}
}

func TestTheNumberOfEventsOfOneReport(t *testing.T) {
	_, err := (&talk{}).tell()
	requireFields(t, err, "events")
	many := make([]conversations.Told, conversations.MaxEvents)
	for i := range many {
		many[i] = in("NA", "a1")
	}
	w := &talk{}
	got, err := w.tell(many...)
	require.NoError(t, err)
	require.Len(t, got, 2, "the others are repeats")
	_, err = w.tell(append(many, in("NA", "a1"))...)
	requireFields(t, err, "events")
	_, err = (&talk{}).tell(in("NA", ""), in("NA", "a1"), conversations.Told{})
	requireFields(t, err, "events[0].participant.identity", "events[2].name")
}
