package conversations_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

func ptr[T any](v T) *T { return &v }

func TestNotesReplaceWhatIsGivenAndLeaveTheRest(t *testing.T) {
	w := after(t, in("NA", "a1"), out("NA", "a1"), ended())
	all := conversations.Note{Dispositions: ptr([]string{"sold"}), DispositionRemarks: ptr([]string{"twice"}),
		AgentNotes: ptr([]string{"kind"}), UserLevelTags: ptr([]string{"vip"}),
		SessionLevelTags: ptr([]conversations.Tag{{Name: "topic", Value: "orders"}}), MetaInfo: json.RawMessage(`{"a":{"b":[1]}}`),
		AfterCallWork: &conversations.WorkDone{HumanAgentID: "a1", DurationMs: ptr(int64(1500))}, SessionID: "s1", At: noon}
	require.Len(t, w.happens(t, all.Decide), 1)
	require.Empty(t, w.happens(t, all.Decide), "the same again")
	got := w.happens(t, conversations.Note{Dispositions: ptr([]string{}), AfterCallWork: &conversations.WorkDone{StartedAt: ptr(noon),
		EndedAt: ptr(noon.Add(time.Minute))}, At: noon}.Decide)
	require.Equal(t, []event.Payload{conversations.Noted{Dispositions: ptr([]string{}), AfterCallWork: &conversations.AfterCallWork{
		StartedAt: noon, EndedAt: noon.Add(time.Minute), DurationMs: 60_000}, At: noon}}, got)
	n := w.state().Notes
	require.Empty(t, n.Dispositions)
	require.Equal(t, []string{"kind"}, n.AgentNotes)
	require.Equal(t, map[string]conversations.AfterCallWork{"a1": {HumanAgentID: "a1", DurationMs: 1500},
		"": *got[0].(conversations.Noted).AfterCallWork}, n.AfterCallWork)
	require.Equal(t, "s1", w.state().SessionID)
	_, err := conversations.Note{SessionID: "s2", At: noon}.Decide(w.state())
	require.True(t, fault.Is(err, fault.Conflict), "a conversation belongs to one session")
	_, err = all.Decide(conversations.State{})
	require.True(t, fault.Is(err, fault.NotFound))
}

// Each member is noted by itself, once, and kept.
func TestEachNoteIsKeptByItself(t *testing.T) {
	one, tag := ptr([]string{"x"}), ptr([]conversations.Tag{{Name: "topic", Value: "orders"}})
	work := conversations.AfterCallWork{HumanAgentID: "a1", DurationMs: 1500}
	for name, c := range map[string]struct {
		note  conversations.Note
		noted conversations.Noted
		kept  func(conversations.Notes) any
	}{
		"dispositions": {conversations.Note{Dispositions: one}, conversations.Noted{Dispositions: one},
			func(n conversations.Notes) any { return n.Dispositions }},
		"remarks": {conversations.Note{DispositionRemarks: one}, conversations.Noted{DispositionRemarks: one},
			func(n conversations.Notes) any { return n.DispositionRemarks }},
		"notes of agents": {conversations.Note{AgentNotes: one}, conversations.Noted{AgentNotes: one},
			func(n conversations.Notes) any { return n.AgentNotes }},
		"tags of the user": {conversations.Note{UserLevelTags: one}, conversations.Noted{UserLevelTags: one},
			func(n conversations.Notes) any { return n.UserLevelTags }},
		"tags of the session": {conversations.Note{SessionLevelTags: tag}, conversations.Noted{SessionLevelTags: tag},
			func(n conversations.Notes) any { return n.SessionLevelTags }},
		"what else is known": {conversations.Note{MetaInfo: json.RawMessage(`{"a":[{"b":1}],"c":{}}`)},
			conversations.Noted{MetaInfo: json.RawMessage(`{"a":[{"b":1}],"c":{}}`)}, func(n conversations.Notes) any { return n.MetaInfo }},
		"work": {conversations.Note{AfterCallWork: &conversations.WorkDone{HumanAgentID: "a1", DurationMs: ptr(int64(1500))}},
			conversations.Noted{AfterCallWork: &work}, func(n conversations.Notes) any { return n.AfterCallWork }},
	} {
		t.Run(name, func(t *testing.T) {
			w := after(t, in("NA", "a1"))
			c.note.At, c.noted.At = noon, noon
			require.Empty(t, c.kept(w.state().Notes))
			require.Equal(t, []event.Payload{c.noted}, w.happens(t, c.note.Decide))
			require.NotEmpty(t, c.kept(w.state().Notes))
			require.Empty(t, w.happens(t, c.note.Decide), "the same again")
		})
	}
}

// After-call work is kept for fifty agents; that of one of them may change.
func TestForHowManyAgentsWorkIsKept(t *testing.T) {
	w := after(t, in("NA", "a1"))
	by := func(agent string, ms int64) func(conversations.State) ([]event.Payload, error) {
		return conversations.Note{AfterCallWork: &conversations.WorkDone{HumanAgentID: agent, DurationMs: &ms}, At: noon}.Decide
	}
	for i := range conversations.MaxNotes {
		require.Len(t, w.happens(t, by(fmt.Sprint("a", i), 1)), 1)
	}
	_, err := by("one more", 1)(w.state())
	requireFields(t, err, "afterCallWork")
	require.Len(t, w.happens(t, by("a0", 2)), 1)
	require.Empty(t, w.happens(t, by("a0", 2)))
}

// Depth is counted where it is, not in all: many shallow values are no deep one.
func TestHowDeepWhatIsNotedMayBe(t *testing.T) {
	given := after(t, in("NA", "a1")).state()
	flat := func(value string) json.RawMessage {
		return json.RawMessage(`{"a":[` + strings.Repeat(value+",", 30) + value + `],"n":1e400}`)
	}
	for _, value := range []string{`{}`, `[]`, `{"b":[]}`} {
		_, err := conversations.Note{MetaInfo: flat(value), At: noon}.Decide(given)
		require.NoError(t, err, value)
	}
}

func TestLimitsOfNotes(t *testing.T) {
	given := after(t, in("NA", "a1")).state()
	items := func(n, length int) *[]string {
		out := make([]string, n)
		for i := range out {
			out[i] = strings.Repeat("é", length)
		}
		return &out
	}
	type note = conversations.Note
	for field, c := range map[string]struct{ at, past note }{
		"dispositions":             {note{Dispositions: items(50, 1)}, note{Dispositions: items(51, 1)}},
		"dispositions[0]":          {note{Dispositions: items(1, 256)}, note{Dispositions: items(1, 257)}},
		"dispositionRemarks":       {note{DispositionRemarks: items(50, 1)}, note{DispositionRemarks: items(51, 1)}},
		"dispositionRemarks[0]":    {note{DispositionRemarks: items(1, 2000)}, note{DispositionRemarks: items(1, 2001)}},
		"agentNotes":               {note{AgentNotes: items(50, 1)}, note{AgentNotes: items(51, 1)}},
		"agentNotes[0]":            {note{AgentNotes: items(1, 2000)}, note{AgentNotes: items(1, 0)}},
		"userLevelTags":            {note{UserLevelTags: items(50, 1)}, note{UserLevelTags: items(51, 1)}},
		"userLevelTags[0]":         {note{UserLevelTags: items(1, 256)}, note{UserLevelTags: items(1, 257)}},
		"sessionLevelTags":         {note{SessionLevelTags: ptr(tags(50))}, note{SessionLevelTags: ptr(tags(51))}},
		"sessionLevelTags[0].name": {note{SessionLevelTags: ptr(tags(1))}, note{SessionLevelTags: &[]conversations.Tag{{}}}},
		"sessionLevelTags[0].value": {note{SessionLevelTags: ptr(tags(1))},
			note{SessionLevelTags: &[]conversations.Tag{{Name: "n", Value: strings.Repeat("x", 2001)}}}},
		"metaInfo": {note{MetaInfo: json.RawMessage(`{"a":"` + strings.Repeat("x", 16<<10-8) + `"}`)},
			note{MetaInfo: json.RawMessage(`{"a":"` + strings.Repeat("x", 16<<10-7) + `"}`)}},
		"sessionId":     {note{SessionID: "s1"}, note{SessionID: "no id"}},
		"afterCallWork": {work(86_400_000), work(86_400_001)},
		"afterCallWork.agentId": {work(0), note{AfterCallWork: &conversations.WorkDone{HumanAgentID: strings.Repeat("x", 257),
			DurationMs: ptr(int64(1))}}},
		"afterCallWork.endedAt": {work(1), note{AfterCallWork: &conversations.WorkDone{StartedAt: ptr(noon), EndedAt: ptr(noon.Add(-1))}}},
		"afterCallWork.durationMs": {work(1), note{AfterCallWork: &conversations.WorkDone{StartedAt: ptr(noon), EndedAt: ptr(noon),
			DurationMs: ptr(int64(0))}}},
	} {
		c.at.At, c.past.At = noon, noon
		_, err := c.at.Decide(given)
		require.NoError(t, err, field)
		_, err = c.past.Decide(given)
		requireFields(t, err, field)
	}
	for _, meta := range []string{`[]`, `"x"`, `1`, `{"a":1`, `{"a":` + strings.Repeat("[", 10) + strings.Repeat("]", 10) + `}`} {
		_, err := note{MetaInfo: json.RawMessage(meta), At: noon}.Decide(given)
		requireFields(t, err, "metaInfo")
	}
	_, err := note{MetaInfo: json.RawMessage(`{"a":` + strings.Repeat("[", 9) + strings.Repeat("]", 9) + `}`), At: noon}.Decide(given)
	require.NoError(t, err)
	for _, half := range []conversations.WorkDone{{}, {StartedAt: ptr(noon)}, {EndedAt: ptr(noon)}, {DurationMs: ptr(int64(-1))}} {
		_, err := note{AfterCallWork: &half, At: noon}.Decide(given)
		requireFields(t, err, "afterCallWork")
	}
}

func TestAfterCallWorkOfNoTimeIsKept(t *testing.T) {
	w := after(t, in("NA", "a1"))
	none := work(0)
	none.At = noon
	require.Len(t, w.happens(t, none.Decide), 1)
	require.Empty(t, w.happens(t, none.Decide))
	require.Contains(t, w.state().Notes.AfterCallWork, "")
}

func tags(n int) []conversations.Tag {
	out := make([]conversations.Tag, n)
	for i := range out {
		out[i] = conversations.Tag{Name: strings.Repeat("é", 256), Value: strings.Repeat("x", 2000)}
	}
	return out
}

func work(ms int64) conversations.Note {
	return conversations.Note{AfterCallWork: &conversations.WorkDone{DurationMs: &ms}}
}

func TestTheFirstNoteAboutACallOpensItsConversation(t *testing.T) {
	call := &conversations.Call{TenantID: "acme", ProjectID: "bot", CallID: "call-1", SessionID: "s1", At: noon.Add(-time.Hour)}
	w := &talk{}
	require.Empty(t, w.happens(t, conversations.Note{Call: call, At: noon}.Decide), "nothing is noted")
	note := conversations.Note{Dispositions: ptr([]string{"sold"}), Call: call, At: noon}
	require.Equal(t, []event.Payload{
		conversations.Opened{ConversationID: "call-1", TenantID: "acme", ProjectID: "bot", SessionID: "s1", Origin: conversations.ByCall,
			Experience: conversations.Voice, At: noon.Add(-time.Hour)},
		conversations.Noted{Dispositions: ptr([]string{"sold"}), At: noon}}, w.happens(t, note.Decide))
	require.Empty(t, w.happens(t, note.Decide), "the same again")
	_, err := conversations.Note{SessionID: "s2", Call: call, At: noon}.Decide(w.state())
	require.True(t, fault.Is(err, fault.Conflict), "a call has one session")
	_, err = conversations.Note{SessionID: "s2", Call: call, At: noon}.Decide(conversations.State{})
	require.True(t, fault.Is(err, fault.Conflict), "also before anything was noted")
	_, err = w.tell(in("NA", "a1"))
	require.NoError(t, err, "agents may come later")
}

func TestACallThatWasNotedAboutBeforeItWasAnswered(t *testing.T) {
	call := conversations.Call{TenantID: "acme", ProjectID: "bot", CallID: "call-1", At: noon}
	w := &talk{}
	w.happens(t, conversations.Note{Dispositions: ptr([]string{"sold"}), Call: &call, At: noon}.Decide)
	call.SessionID = "s1"
	require.Equal(t, []event.Payload{conversations.Noted{SessionID: "s1", At: noon}},
		w.happens(t, conversations.Note{Call: &call, At: noon}.Decide))
	call.SessionID = "s2"
	require.Empty(t, w.happens(t, conversations.Note{Call: &call, At: noon}.Decide), "whose session is known needs none")
}

func TestATransferThatHooksWereFasterThan(t *testing.T) {
	w := after(t, in("NA", "a1"))
	open := conversations.Open{TenantID: "acme", ProjectID: "bot", ConversationID: "c-1", SessionID: "s1", At: noon}
	require.Equal(t, []event.Payload{conversations.Noted{SessionID: "s1", At: noon}}, w.happens(t, open.Decide))
	require.Empty(t, w.happens(t, open.Decide))
}

func TestTheKeyOfAConversation(t *testing.T) {
	for id, want := range map[string]string{"c-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70": "c-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70",
		"c-1": "bot.c-1", "conv-1": "bot.conv-1"} {
		require.Equal(t, want, conversations.State{ID: id, ProjectID: "bot"}.Key())
	}
}
