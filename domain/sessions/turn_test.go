package sessions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// after is in the first turn, so many seconds after noon.
func after(seconds int) sessions.InTurn {
	return sessions.InTurn{Turn: 1, At: noon.Add(time.Duration(seconds) * time.Second)}
}

// tested is chat as one of a test, which answers on a channel's thread.
func tested() sessions.Opened {
	begun, of := *chat.Begun, chat
	begun.Test, begun.IdleMinutes = true, 30
	of.Begun, of.Thread = &begun, "conversation-1"
	return of
}

// Given a turn that runs, then the state is all that its events said, and when it has ended only what outlives it.
func TestATurnFromItsMessageToItsEnd(t *testing.T) {
	brought := &sessions.Brought{Mocks: []sessions.Mock{{Tool: "find"}, {Tool: "pay"}}}
	message, step, find, reply, end := heard, entered, claimed, said, turned
	message.InTurn, message.Brought, message.Attachments = after(1), brought, []string{"f1"}
	step.InTurn, find.InTurn, reply.InTurn, end.InTurn = after(2), after(3), after(4), after(5)
	mocked := func(mock int) sessions.CallEnded {
		return sessions.CallEnded{InTurn: after(3), CallID: "c1", Agent: "front", Tool: "find", Outcome: sessions.CallOK, Mock: mock}
	}
	past := []event.Payload{tested(), fileGiven, message, step, filled, set, asked, mocked(1), mocked(2), mocked(2), mocked(3), find,
		answered, reply}
	kept := find
	running := &sessions.Running{Brought: brought, Mocks: []int{2, 2}, Open: []sessions.CallOpened{kept}, Heard: "Hello", Action: heard.Action,
		Old: true, Metadata: heard.Metadata, Steps: 1, At: after(1).At}
	want := sessions.State{ID: chat.SessionID, TenantID: "acme", ProjectID: "bot", Channel: "api", Thread: "conversation-1",
		AgentName: "front", Status: sessions.Active, OpenedAt: noon, SaidAt: after(4).At, LastSaid: "m2",
		Attachments: []sessions.Attachment{{ID: "f1", Blob: fileGiven.Blob, Name: "meter.png", ContentType: "image/png", SizeBytes: 12}},
		Talk: sessions.Talk{Begun: *tested().Begun, Agent: "front", Step: "ask", Running: running, Calls: 2, Lines: 2, Led: 1,
			Shown: sessions.Shown{Turn: 1, IDs: []string{"kind", "gas", "stop", "value"}},
			Slots: map[string]map[string]json.RawMessage{"front": filled.Values}, Sensitive: map[string][]string{"front": {"pin"}},
			Vars:   map[string]json.RawMessage{"vip": json.RawMessage(`true`), "done": json.RawMessage(`true`)},
			Visits: map[string]int{"front/ask": 1}, History: []sessions.Line{{Text: "Hello", N: 1, Files: []string{"f1"}},
				{Agent: "front", Text: "Which one?", N: 2}}, Figures: sessions.Figures{Turns: 1, Messages: 2, Traces: 8, Errors: 1}}}
	require.Equal(t, want, sessions.Sessions.State(past...))
	require.Equal(t, sessions.ToldFile{AttachmentID: "f1", Name: "meter.png", Type: "image/png", SizeBytes: 12}, want.Attachments[0].Told())

	want.Talk.Running, want.Talk.Waits, want.Talk.Figures = nil, turned.Waits, turned.Figures
	require.Equal(t, want, sessions.Sessions.State(append(past, end)...))
	pressed := message
	pressed.Action = &sessions.Chosen{ID: "gas"}
	require.False(t, sessions.Sessions.State(append(past, end, pressed)...).Talk.Running.Old, "it was shown last")

	reset := sessions.WasReset{Before: 2, Test: true, At: after(9).At}
	got, err := sessions.Reset{At: after(9).At.Add(time.Microsecond)}.Decide(want)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{reset}, got)
	want.ResetBefore = 2
	want.Talk = sessions.Talk{Begun: want.Talk.Begun, Agent: "front", Vars: chat.Begun.Variables, Calls: 2, Figures: turned.Figures}
	require.Equal(t, want, sessions.Sessions.State(append(past, end, reset)...))
}

// Given a callee who picks up, then the agent has a turn in which nobody has said anything.
func TestACalleePicksUp(t *testing.T) {
	s := sessions.Sessions.State(chat, sessions.PickedUp{InTurn: after(2)})
	require.Equal(t, sessions.Talk{Begun: *chat.Begun, Agent: "front", Greeted: true, Vars: chat.Begun.Variables, Lines: 1,
		History: []sessions.Line{{Text: "(picks up the phone)", N: 1}}, Running: &sessions.Running{Greets: true, At: after(2).At},
		Figures: sessions.Figures{Turns: 1, Traces: 1}}, s.Talk)
}

// Given a session that is to be opened, then it is with all that it was asked with, and by who was linked before.
func TestASessionIsOpenedWithAllThatItIsGiven(t *testing.T) {
	of := tested()
	open := sessions.Open{ID: of.SessionID, TenantID: of.TenantID, ProjectID: of.ProjectID, Channel: of.Channel, CallID: "call-1",
		Thread: of.Thread, AgentName: of.AgentName, UserSession: opened.UserSession, ContactID: "ct-2", Begun: of.Begun, At: noon}
	of.CallID, of.UserSession, of.ContactID, of.LinkedAt = "call-1", opened.UserSession, "ct-2", noon
	got, err := open.Decide(sessions.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{of}, got)
	before := sessions.ContactLinked{ContactID: "ct-1", At: after(-5).At}
	of.ContactID, of.LinkedAt = "ct-1", before.At
	got, err = open.Decide(sessions.Sessions.State(before))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{of}, got)
}

// Given a message that waited when the session was reset, then it is told that it was refused: with the figures
// where no turn runs that says them when it ends.
func TestAMessageThatWaitedForAResetIsDropped(t *testing.T) {
	drop := sessions.DropMessage{At: after(9).At.Add(time.Microsecond)}
	in := after(9)
	in.Test = true
	told := sessions.Noticed{InTurn: in, Kind: "ignored", Agent: "front", What: "message", Detail: "it waited when the session was reset"}
	counted := told
	counted.Figures = &sessions.Figures{Turns: 1, Messages: 2, Traces: 4, Errors: 1, Handoffs: 1}
	for name, c := range map[string]struct {
		past, then []event.Payload
	}{
		"a turn runs":           {[]event.Payload{tested(), heard}, []event.Payload{told}},
		"none does":             {[]event.Payload{tested(), heard, turned, wasReset}, []event.Payload{counted}},
		"nothing was ever said": {[]event.Payload{tested()}, nil},
		"the session has ended": {[]event.Payload{tested(), heard, turned, ended}, nil},
		"there is none":         {nil, nil},
	} {
		got, err := drop.Decide(sessions.Sessions.State(c.past...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
	require.Equal(t, 3, turned.Figures.Traces, "they are counted in a copy")
	bare := opened
	bare.CallID = ""
	_, err := sessions.Reset{At: noon}.Decide(sessions.Sessions.State(bare))
	require.Equal(t, fault.Conflict, fault.CodeOf(err), "one that takes no messages is not reset")
}

// Given what is noticed in a turn, then a constraint that keeps back what was to be said leaves it unsaid until
// something is said, and an ESCALATE whose WHEN holds no longer may escalate again: nothing else does.
func TestWhatIsNoticedChanges(t *testing.T) {
	other := wished
	other.Index = 2
	notice := func(kind, what, before string) event.Payload {
		return sessions.Noticed{InTurn: turn1, Kind: kind, Agent: "front", What: what, Before: before}
	}
	for name, c := range map[string]struct {
		notice event.Payload
		unsaid bool
		raised []string
	}{
		"a REQUIRE before a reply": {notice("constraint", "require", dsl.BeforeReply), true, []string{"front/1", "front/2"}},
		"a WARN before a reply":    {notice("constraint", string(dsl.Warn), dsl.BeforeReply), false, []string{"front/1", "front/2"}},
		"a REQUIRE before a call":  {notice("constraint", "require", "call:pay"), false, []string{"front/1", "front/2"}},
		"a guardrail":              {notice("guardrail", "require", dsl.BeforeReply), false, []string{"front/1", "front/2"}},
		"an escalation is over":    {notice("escalation_over", "front/1", ""), false, []string{"front/2"}},
		"a limit of that name":     {notice("limit", "front/1", ""), false, []string{"front/1", "front/2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessions.Sessions.State(chat, heard, wished, other, c.notice)
			require.Equal(t, []any{c.unsaid, c.raised, 4}, []any{s.Talk.Running.Unsaid, s.Talk.Raised, s.Talk.Traces})
			sessions.Sessions.Fold(&s, said)
			require.False(t, s.Talk.Running.Unsaid)
		})
	}
}

// Given a handoff, then who was handed the conversation may refuse it until they have said something, and it goes
// back to where it was handed over.
func TestWhoWasHandedAConversationMayRefuseIt(t *testing.T) {
	deeper := sessions.StepEntered{InTurn: turn1, Agent: "back", Step: "look"}
	on := sessions.HandedOff{InTurn: turn1, From: "back", To: "desk", Index: 3}
	refused := sessions.HandedBack{InTurn: turn1, From: "desk", To: "back", Failed: "TOOL_FAILED"}
	past := []event.Payload{chat, heard, entered, handed, deeper}
	s := sessions.Sessions.State(append(past, on)...)
	require.Equal(t, &sessions.Handed{Frame: sessions.Frame{Agent: "back", Step: "look", Index: 3}}, s.Talk.Running.Handed)
	require.Equal(t, 2, s.Talk.Running.Transfers)
	waits := sessions.Frame{Agent: "front", Step: "ask", Index: 1}
	for name, c := range map[string]struct {
		events []event.Payload
		agent  string
		step   string
		frames []sessions.Frame
	}{
		"one that does not return is refused": {[]event.Payload{on, refused}, "back", "look", []sessions.Frame{waits}},
		"one that returns is refused": {[]event.Payload{sessions.HandedBack{InTurn: turn1, From: "back", To: "front",
			Failed: "TOOL_FAILED"}}, "front", "ask", []sessions.Frame{}},
		"it has said something": {[]event.Payload{on, said, refused}, "back", "ask", []sessions.Frame{}},
		"the turn is over":      {[]event.Payload{on, turned, refused}, "back", "ask", []sessions.Frame{}},
		"it gives it back":      {[]event.Payload{back}, "front", "ask", []sessions.Frame{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessions.Sessions.State(append(past, c.events...)...)
			require.Equal(t, []any{c.agent, c.step, c.frames}, []any{s.Talk.Agent, s.Talk.Step, s.Talk.Frames})
			if s.Talk.Running != nil {
				require.Nil(t, s.Talk.Running.Handed)
			}
		})
	}
}

// Given a model that leads a step, when another step or agent is at it, then nothing is left of what it wanted.
func TestAnotherStepLeavesWhatAModelWanted(t *testing.T) {
	for name, next := range map[string]event.Payload{"a step": entered, "a handoff": handed, "a handoff back": back} {
		s := sessions.Sessions.State(chat, heard, askedMind, thought, next)
		require.Equal(t, []sessions.Line{{Text: "Hello", N: 1}}, s.Talk.History, name)
		require.Empty(t, s.Talk.Wishes(), name)
	}
}
