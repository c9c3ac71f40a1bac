package conversations_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// The flows of a conversation: cold, warm, and a redial after it dropped.
func TestFlowsOfTheSpec(t *testing.T) {
	for name, c := range map[string]struct {
		events   []conversations.Told
		stays    int
		segments int
	}{
		"one agent":  {[]conversations.Told{in("NA", "a1"), out("NA", "a1"), summary("post"), ended()}, 1, 1},
		"no summary": {[]conversations.Told{in("NA", "a1"), out("NA", "a1"), ended()}, 1, 1},
		"cold": {[]conversations.Told{in("NA", "a1"), out("COLD", "a1"), in("COLD", "a2"), out("COLD", "a2"), in("COLD", "a3"),
			out("NA", "a3"), ended()}, 3, 3},
		"warm": {[]conversations.Told{in("NA", "a1"), in("WARM", "a2"), in("WARM", "a3"), out("WARM", "a2"), out("WARM", "a3"),
			out("NA", "a1"), ended()}, 3, 1},
		"redial": {[]conversations.Told{in("NA", "a1"), out("NA", "a1"), in("redial", "a1"), out("NA", "a1"), summary("post"), ended()}, 1,
			1},
		"to another": {[]conversations.Told{in("NA", "a1"), out("NA", "a1"), in("redial", "a2"), out("NA", "a2"), ended()}, 2, 1},
		"callback":   {[]conversations.Told{in("redial", "a1"), out("NA", "a1"), ended()}, 1, 1},
		"lower case": {[]conversations.Told{in("na", "a1"), out("cold", "a1"), in("cold", "a2"), in("warm", "a3"), out("warm", "a3"),
			out("na", "a2"), ended()}, 3, 2},
		"nobody came": {[]conversations.Told{in("NA", "a1"), out("COLD", "a1"), out("NA", "a1"), ended()}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := after(t, c.events...).state()
			require.Equal(t, conversations.Ended, s.Phase)
			require.Equal(t, c.stays, s.Stays)
			require.Equal(t, c.segments, s.Segment)
			at := &talk{} // all at once
			_, err := at.tell(c.events...)
			require.NoError(t, err)
			require.Equal(t, s, at.state())
		})
	}
}

func TestAnEntryCarriesWhatWasTold(t *testing.T) {
	yes := true
	told := conversations.Told{Name: "internal_transfer_event", TransferType: "Na", Transition: "ENTRY", IsExtAD: &yes, Language: "en",
		Experience: "VOICE", Reason: "agent_initiated",
		Participant: &conversations.Participant{Identity: "ada@acme.example", Name: "Ada", Type: "AGENT",
			CustomFields: conversations.CustomFields{HumanAgentEmail: "ada@acme.example", QueueID: "q", QueueName: "Sales"}}}
	w := &talk{}
	got, err := w.tell(told)
	require.NoError(t, err)
	require.Equal(t, conversations.Opened{ConversationID: "conv-1", TenantID: "acme", ProjectID: "bot", Origin: conversations.ByHook,
		Experience: conversations.Voice, At: noon}, got[0])
	require.Equal(t, conversations.AgentEntered{ConversationID: "conv-1", TenantID: "acme", ProjectID: "bot", Identity: "ada@acme.example",
		Name: "Ada", TransferType: conversations.NA,
		Stay: 1, Segment: 1, Experience: conversations.Voice, IsExtAD: true, Reason: "agent_initiated", Language: "en",
		CustomFields: told.Participant.CustomFields, At: noon}, got[1])
}

// What hooks tell of an exit and of the end is kept as it was told, beside what is known of the
// agent's stay.
func TestAnExitAndTheEndCarryWhatWasTold(t *testing.T) {
	yes := true
	ada := &conversations.Participant{Identity: "a2", Name: "Ada", Type: "agent", CustomFields: conversations.CustomFields{
		HumanAgentEmail: "ada@acme.example", QueueID: "q", QueueName: "Sales"}}
	w := after(t, in("NA", "a1"), out("COLD", "a1"), in("COLD", "a2"))
	got, err := w.tell(conversations.Told{Name: "INTERNAL_TRANSFER_EVENT", TransferType: "NA", Transition: "exit", IsExtAD: &yes,
		Language: "de", Experience: "voice", Reason: "done", Participant: ada})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{conversations.AgentLeft{ConversationID: "conv-1", TenantID: "acme", ProjectID: "bot", Identity: "a2",
		Name: "Ada", TransferType: conversations.NA, Stay: 2, Segment: 2, Experience: conversations.Voice, IsExtAD: true, Reason: "done",
		Language: "de", CustomFields: ada.CustomFields, At: noon}}, got)
	got, err = w.tell(conversations.Told{Name: "END_OF_CONVERSATION", Reason: "resolved", Language: "de", Experience: "voice",
		Participant: ada})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{conversations.ConversationEnded{Reason: "resolved", Language: "de", Experience: conversations.Voice,
		Identity: "a2", Name: "Ada", CustomFields: ada.CustomFields, At: noon}}, got)

	w = after(t, in("NA", "a1"), out("COLD", "a1"))
	got, err = w.tell(out("NA", "a1"))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{conversations.TransferAbandoned{Identity: "a1", Reason: "agent_initiated", At: noon}}, got)
}

// A conversation remembers the e-mail of an agent, which a later entry may leave out.
func TestTheEMailOfAnAgentIsRemembered(t *testing.T) {
	entry := in("NA", "a1")
	entry.Participant.CustomFields.HumanAgentEmail = "ada@acme.example"
	w := after(t, entry, out("NA", "a1"), in("redial", "a1"))
	require.Equal(t, "ada@acme.example", w.state().Agents["a1"].Email)
}

// What came late is named in a few words.
func TestWhatCameLateIsNamed(t *testing.T) {
	given := after(t, in("NA", "a1"), out("NA", "a1"), ended()).state()
	for what, told := range map[string][]conversations.Told{"END_OF_CONVERSATION": {ended()}, "TRIGGER_SUMMARY_EVENT": {summary("post")},
		"INTERNAL_TRANSFER_EVENT warm entry":           {in("WARM", "a2")},
		"INTERNAL_TRANSFER_EVENT na exit and 1 more":   {out("NA", "a1"), ended()},
		"INTERNAL_TRANSFER_EVENT cold exit and 2 more": {out("COLD", "a1"), in("COLD", "a2"), ended()}} {
		got, err := conversations.Report{About: about(), Events: told}.Decide(given)
		require.NoError(t, err, what)
		require.Equal(t, []event.Payload{conversations.LateRefused{What: what, Bytes: len(about().Body), Body: about().Body, At: noon}}, got)
	}
}

func TestARedialContinuesItsStayAndOnlyThat(t *testing.T) {
	w := after(t, in("NA", "a1"), out("NA", "a1"))
	got, err := w.tell(in("redial", "a1"))
	require.NoError(t, err)
	require.True(t, got[0].(conversations.AgentEntered).Continues)
	w = after(t, in("NA", "a1"), out("COLD", "a1"), in("COLD", "a2"), out("NA", "a2"))
	got, err = w.tell(in("redial", "a1")) // whose stay was of an earlier segment
	require.NoError(t, err)
	e := got[0].(conversations.AgentEntered)
	require.False(t, e.Continues)
	require.Equal(t, 3, e.Stay)
	require.Equal(t, 2, e.Segment)
}

func TestAfterTheEndAllIsRefusedAndKeptUpToABound(t *testing.T) {
	w := after(t, in("NA", "a1"), out("NA", "a1"), ended())
	before := w.state()
	for i, e := range []conversations.Told{ended(), in("NA", "a1"), out("NA", "a1"), in("redial", "a1"), summary("post")} {
		got, err := w.tell(e)
		require.NoError(t, err)
		require.Len(t, got, 1)
		require.True(t, conversations.WasLate(got), i)
		require.JSONEq(t, `{"told":true}`, string(got[0].(conversations.LateRefused).Body))
	}
	got, err := message("USER").Decide(w.state())
	require.NoError(t, err)
	require.Equal(t, "message", got[0].(conversations.LateRefused).What)
	for range conversations.MaxLate - 5 {
		_, err := w.tell(ended())
		require.NoError(t, err)
	}
	got, err = w.tell(ended())
	require.True(t, fault.Is(err, fault.Validation))
	require.Empty(t, got)
	_, err = message("USER").Decide(w.state())
	require.True(t, fault.Is(err, fault.Validation))
	before.Late = conversations.MaxLate
	require.Equal(t, before, w.state(), "nothing else has changed")
}

func TestALargeBodyIsNotKept(t *testing.T) {
	w := after(t, in("NA", "a1"), out("NA", "a1"), ended())
	c := conversations.Report{About: about(), Events: []conversations.Told{ended()}}
	c.Body = []byte(`"` + string(make([]byte, 16<<10)) + `"`)
	got, err := c.Decide(w.state())
	require.NoError(t, err)
	require.Empty(t, got[0].(conversations.LateRefused).Body)
	require.Equal(t, 16<<10+2, got[0].(conversations.LateRefused).Bytes)
	c.Body = []byte(`"` + string(make([]byte, 16<<10-2)) + `"`)
	got, err = c.Decide(w.state())
	require.NoError(t, err)
	require.Len(t, got[0].(conversations.LateRefused).Body, 16<<10, "one of that size is")
}

func TestAConversationHasAtMostSoManyEntries(t *testing.T) {
	w := after(t, in("NA", "main"))
	for i := range conversations.MaxStays - 1 {
		_, err := w.tell(in("WARM", "a"), out("WARM", "a"))
		require.NoError(t, err, i)
	}
	_, err := w.tell(in("WARM", "a"))
	require.True(t, fault.Is(err, fault.LimitReached))
	_, err = w.tell(out("NA", "main"), ended())
	require.NoError(t, err)
}

func TestOpenedForATransfer(t *testing.T) {
	open := conversations.Open{TenantID: "acme", ProjectID: "bot", ConversationID: "c-1", SessionID: "s1", Experience: conversations.Chat,
		At: noon}
	w := &talk{}
	got, err := open.Decide(w.state())
	require.NoError(t, err)
	require.Equal(t, conversations.Opened{ConversationID: "c-1", TenantID: "acme", ProjectID: "bot", SessionID: "s1",
		Origin: conversations.ByTransfer, Experience: conversations.Chat, At: noon}, got[0])
	w.past = got
	again, err := open.Decide(w.state())
	require.NoError(t, err)
	require.Empty(t, again)
	_, err = message("USER").Decide(w.state())
	requireFields(t, err, "conversationId")
	_, err = w.tell(ended())
	requireFields(t, err, "events[0]")
	_, err = w.tell(in("NA", "a1"), out("NA", "a1"), ended())
	require.NoError(t, err)
	for field, edit := range map[string]func(*conversations.Open){
		"conversationId": func(o *conversations.Open) { o.ConversationID = "c-" }, "sessionId": func(o *conversations.Open) {
			o.SessionID = "no id"
		},
		"experience": func(o *conversations.Open) { o.Experience = "smoke" }} {
		wrong := open
		edit(&wrong)
		_, err := wrong.Decide(conversations.State{})
		requireFields(t, err, field)
	}
}
