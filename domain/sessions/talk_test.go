package sessions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/sessions"
)

var (
	turn1 = sessions.InTurn{Turn: 1, At: noon}
	chat  = sessions.Opened{SessionID: "0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70", TenantID: "acme", ProjectID: "bot", Channel: "api",
		AgentName: "front",
		Begun: &sessions.Begun{DeploymentID: "d-1", Environment: "production", Language: "de-AT",
			Manifest:  map[string]sessions.Pinned{"front": {Version: 3, Hash: "aa"}, "back": {Version: 1, Hash: "bb"}},
			Variables: map[string]json.RawMessage{"vip": json.RawMessage(`true`)},
			Caller:    map[string]json.RawMessage{"userId": json.RawMessage(`"u1"`)}},
		At: noon}
	heard = sessions.MessageReceived{InTurn: turn1, MessageID: "m1", Text: "Hello", Action: &sessions.Chosen{ID: "gas",
		Value: json.RawMessage(`"gas"`)}, Metadata: json.RawMessage(`{"page":"/start"}`)}
	fileGiven = sessions.Attached{AttachmentID: "f1", FileName: "meter.png", ContentType: "image/png", SizeBytes: 12,
		Blob: "attachments/acme/s1/f1/aa", At: noon}
	said = sessions.Said{InTurn: turn1, MessageID: "m2", Agent: "front", Step: "ask", Text: "Which one?", Rich: []sessions.Element{
		{Kind: "select", ID: "kind", Label: "Meter", Options: []sessions.Choice{{ID: "gas", Label: "Gas"}}},
		{Kind: "button", ID: "stop", Label: "Stop", Value: json.RawMessage(`{"stop":true}`)},
		{Kind: "input", ID: "value", Label: "Reading", InputType: "number", Required: true}}}
	entered = sessions.StepEntered{InTurn: turn1, Agent: "front", Step: "ask"}
	filled  = sessions.SlotsFilled{InTurn: turn1, Agent: "front", Values: map[string]json.RawMessage{"kind": json.RawMessage(`"gas"`),
		"pin": json.RawMessage(`"1234"`)}, Sensitive: []string{"pin"}}
	set    = sessions.VariablesSet{InTurn: turn1, Values: map[string]json.RawMessage{"done": json.RawMessage(`true`)}}
	handed = sessions.HandedOff{InTurn: turn1, From: "front", To: "back", Index: 1, Returns: true, Why: "A bill"}
	back   = sessions.HandedBack{InTurn: turn1, From: "back", To: "front",
		Result: map[string]json.RawMessage{"ok": json.RawMessage(`true`)}}
	noticed = sessions.Noticed{InTurn: turn1, Kind: "limit", Agent: "front", Step: "ask", What: "STEP_LIMIT", Detail: "more than 100 steps"}
	turned  = sessions.TurnEnded{InTurn: turn1, Action: sessions.Continue, Waits: sessions.Waiting{For: sessions.ForSlot,
		Slot: "kind", Tries: 1},
		Failed: "STEP_LIMIT", Figures: sessions.Figures{Turns: 1, Messages: 2, Traces: 3, Errors: 1, Handoffs: 1}}
	wasReset = sessions.WasReset{Before: 2, At: noon.Add(time.Minute)}
	rated    = sessions.FeedbackGiven{MessageID: "m2", Rating: "up", Comment: "Good", At: noon}

	unsaid = sessions.MessageTakenBack{MessageID: "m1", Line: 1, Attachments: []string{"f1"}, At: noon}

	asked = sessions.CallOpened{InTurn: turn1, CallID: "c1", Key: "c1", Agent: "front", Step: "ask", Tool: "find",
		Arguments: map[string]json.RawMessage{"id": json.RawMessage(`"4711"`)}, Retry: 1}
	answered = sessions.CallEnded{InTurn: turn1, CallID: "c1", Agent: "front", Step: "ask", Tool: "find", Outcome: sessions.CallFailed,
		Code: "TIMEOUT", Result: json.RawMessage(`{"name":"Ann"}`), Mock: 1}

	claimed = sessions.CallOpened{InTurn: turn1, CallID: "c2", Key: "c2", Agent: "front", Tool: "find", Start: true, Repeat: true,
		Claimed: sessions.Claimed{Process: "n-1@a", Try: "t1"}}
	over = sessions.CallClaimed{InTurn: turn1, CallID: "c2", Claimed: sessions.Claimed{Process: "n-2@b", Try: "t2"}}
	made = sessions.CallEnded{InTurn: turn1, CallID: "c2", Agent: "front", Tool: "find", Outcome: sessions.CallOK,
		Result: json.RawMessage(`{"name":"Ann"}`), Status: 200, Tries: 2, TookMs: 41}

	cost      = int64(4_500_000)
	askedMind = sessions.ModelAsked{InTurn: turn1, CallID: "c5", Agent: "front", Step: "ask", Tier: "fast", ModelID: "m-1",
		Prompt: "aa", Fallback: true, Empty: true, Retry: 1, Claimed: sessions.Claimed{Process: "n-1@a", Try: "t1"}}
	thought = sessions.ModelAnswered{InTurn: turn1, CallID: "c5", ProjectID: "bot", Agent: "front", Step: "ask", Text: "One moment.",
		ToolCalls: []sessions.ModelCall{{ID: "w1", Name: "find", Arguments: `{"id":4711}`}, {ID: "w2", Name: "fly", Arguments: "{}"}},
		Finish:    "tool_use", Failed: "TIMEOUT", ModelID: "m-1", Provider: "openai", Model: "gpt", TokensIn: 10, TokensOut: 5,
		Estimated: true, PriceVersion: "2026-11", CostPico: &cost, TookMs: 120}
	counted = sessions.ModelCounted{InTurn: turn1, CallID: "c5", ProjectID: "bot", Agent: "front", ModelID: "m-1", Provider: "openai",
		Model: "gpt", TokensIn: 10, TokensOut: 5, Estimated: true, PriceVersion: "2026-11", CostPico: &cost, TookMs: 120}
	told       = sessions.ModelTold{InTurn: turn1, Agent: "front", Step: "ask", Wish: "w2", Result: `{"error":"UNKNOWN_TOOL"}`}
	wishOpened = sessions.CallOpened{InTurn: turn1, CallID: "c4", Key: "c4", Agent: "front", Tool: "find", Wish: "w1",
		Claimed: sessions.Claimed{Process: "n-1@a", Try: "t1"}}
	wishEnded = sessions.CallEnded{InTurn: turn1, CallID: "c4", Agent: "front", Tool: "find", Outcome: sessions.CallUnknown, Wish: "w1"}

	few      = 3
	passedOn = sessions.HandedOff{InTurn: turn1, From: "front", To: "desk", History: &few, Summary: "Ann wants a room.",
		Stores: []string{"profile"}}
	lookedFor = sessions.ModelAsked{InTurn: turn1, CallID: "m2", Agent: "front", Purpose: sessions.Extracts, Slots: []string{"city"},
		Waits: sessions.Waiting{For: sessions.ForSlot, Slot: "city", Tries: 1}, Prompt: "8ce1", Claimed: claimed.Claimed}
	foundOut = sessions.ModelAnswered{InTurn: turn1, CallID: "m2", Agent: "front", Purpose: sessions.Extracts,
		ToolCalls: []sessions.ModelCall{{ID: "w1", Name: "remember", Arguments: `{"city":"Rome"}`}}}
	profile  = sessions.StoreOf{Scope: memories.OfContact, Store: "profile"}
	recalled = sessions.MemoryAsked{InTurn: turn1, CallID: "c5", Reads: []sessions.StoreOf{profile}, Writes: []sessions.StoreOf{profile},
		Start: true, Waits: sessions.Waiting{For: sessions.ForSlot, Slot: "city"}, Claimed: claimed.Claimed,
		Ends: &sessions.Ending{Over: true, Failed: "STEP_LIMIT", Waits: sessions.Waiting{For: sessions.ForMessage}}}
	memorized = sessions.MemoryTold{InTurn: turn1, CallID: "c5", Stores: []sessions.StoreTold{{StoreOf: profile, Version: 2,
		Content: json.RawMessage(`{"seat":"aisle"}`), Refused: []string{"name"}, Failed: "NO_CONTACT"}}}
	putInto = sessions.MemorySet{InTurn: turn1, Agent: "front", Step: "ask", StoreOf: profile,
		Values: []sessions.MemoryValue{{Path: "seat.side", Value: json.RawMessage(`"left"`)}}}

	later   = sessions.CallOpened{InTurn: turn1, CallID: "c3", Key: "c3", Agent: "front", Tool: "pay", Later: true, Claimed: claimed.Claimed}
	sent    = sessions.CallSent{InTurn: turn1, CallID: "c3", ExpiresAt: noon.Add(time.Hour)}
	replied = sessions.CallEnded{InTurn: sessions.InTurn{Turn: 1, At: noon.Add(time.Minute)}, CallID: "c3", Agent: "front", Tool: "pay",
		Outcome: sessions.CallOK, Result: json.RawMessage(`{"ok":true}`), Later: true}

	wished = sessions.Escalated{InTurn: turn1, Number: 1, TransferID: "t1", Agent: "front", Step: "ask", By: sessions.ByRule, Index: 1,
		Queue: "support", Priority: "high", Skills: []string{"german"}, Why: "A bill", Context: map[string]json.RawMessage{
			"gather.kind": json.RawMessage(`"gas"`)}, Ends: true}
	taken  = sessions.TakenByPeople{TransferID: "t1", ConversationID: "c-t1", QueueID: "q-1", HumanAgentID: "a-1", Turn: 1, At: noon}
	passed = sessions.PassedOn{MessageID: "m3", TransferID: "t1", ConversationID: "c-t1", Text: "Anybody?", Action: &sessions.Chosen{
		ID: "gas"}, Metadata: json.RawMessage(`{"page":"/"}`), Attachments: []string{"f1"}, Early: true,
		Figures: sessions.Figures{Turns: 1, Messages: 3}, At: noon}
	answeredBy = sessions.PersonSaid{MessageID: "m4", ConversationID: "c-t1", Number: 1, HumanAgentID: "Maria", Text: "I am.", Late: true,
		Figures: sessions.Figures{Turns: 1, Messages: 4}, At: noon}
	handedOn = sessions.GivenBack{InTurn: sessions.InTurn{Turn: 2, At: noon}, TransferID: "t1", TransferTurn: 1, Failed: true,
		Reason: "CONVERSATION_ENDED"}

	talked = []event.Payload{chat, heard, said, entered, filled, set, handed, back, noticed, turned, wasReset, rated, fileGiven, unsaid, asked,
		answered, claimed, over, made,
		later, sent, replied, askedMind, thought, told, wished, taken, passed, answeredBy, handedOn,
		given, begun, inside, murmured, worked, workDone,
		passedOn, lookedFor, foundOut, recalled, memorized, putInto, counted}
)

// Given what was said and learned, then the state has where the conversation stands.
func TestAConversationStandsWhereItsEventsLeftIt(t *testing.T) {
	s := sessions.Sessions.State(chat, heard, entered, filled, set, said)
	require.Equal(t, []any{"front", "ask", 1, 2, noon}, []any{s.Talk.Agent, s.Talk.Step, s.Talk.Turns, s.Talk.Messages, s.LastActivity()})
	require.Equal(t, map[string]json.RawMessage{"vip": json.RawMessage(`true`), "done": json.RawMessage(`true`)}, s.Talk.Vars)
	require.Equal(t, map[string][]string{"front": {"pin"}}, s.Talk.Sensitive)
	require.Equal(t, 1, s.Talk.Visits[sessions.Visit("front", "ask")])
	require.Len(t, chat.Begun.Variables, 1, "folding does not reach into the event")

	gone := filled
	gone.Values = map[string]json.RawMessage{"kind": json.RawMessage(`null`)}
	s = sessions.Sessions.State(chat, heard, filled, gone)
	require.Equal(t, map[string]json.RawMessage{"pin": json.RawMessage(`"1234"`)}, s.Talk.Slots["front"])
}

// Given a handoff that returns, then the other has the conversation until it hands it back.
func TestAConversationIsHandedOverAndBack(t *testing.T) {
	s := sessions.Sessions.State(chat, heard, entered, handed)
	require.Equal(t, []any{"back", "", 1}, []any{s.Talk.Agent, s.Talk.Step, s.Talk.Handoffs})
	require.Equal(t, []sessions.Frame{{Agent: "front", Step: "ask", Index: 1}}, s.Talk.Frames)
	s = sessions.Sessions.State(chat, heard, entered, handed, back)
	require.Equal(t, []any{"front", "ask", 1}, []any{s.Talk.Agent, s.Talk.Step, s.Talk.Handoffs})
	require.Empty(t, s.Talk.Frames)
}

// Given a call that somebody makes, then it is open until something came of it; whoever takes it
// over makes it, and a reset forgets it.
func TestACallIsOpenUntilItHasEnded(t *testing.T) {
	s := sessions.Sessions.State(chat, heard, entered, asked, claimed, over)
	require.Len(t, s.Talk.Running.Open, 1, "the mock's is not")
	require.Equal(t, over.Claimed, s.Talk.Running.Call("c2").Claimed)
	require.Equal(t, []any{"Hello", 1}, []any{s.Talk.Running.Heard, s.Talk.Running.Steps})
	s = sessions.Sessions.State(chat, heard, entered, claimed, made)
	require.Nil(t, s.Talk.Running.Call("c2"))
	require.NotNil(t, s.Talk.Running, "the turn runs until it has ended")
	require.Nil(t, sessions.Sessions.State(chat, heard, claimed, wasReset).Talk.Running)
	require.Nil(t, sessions.Sessions.State(chat, heard, claimed, turned).Talk.Running)
}

// Given a model that wants something called, then each wish has its result, and when the turn has
// ended only what was said is left.
func TestWhatAModelWantsHasItsResult(t *testing.T) {
	spoke := said
	spoke.Text = "One moment."
	past := []event.Payload{chat, heard, askedMind, over}
	require.Equal(t, "t1", sessions.Sessions.State(past...).Talk.Running.Asked.Try, "another call was taken over")
	own := over
	own.CallID = "c5"
	require.Equal(t, over.Claimed, sessions.Sessions.State(append(past, own)...).Talk.Running.Asked.Claimed)

	s := sessions.Sessions.State(chat, heard, askedMind, thought, spoke, told)
	require.Nil(t, s.Talk.Running.Asked)
	require.Equal(t, "find", s.Talk.Wanted().Name)
	require.Len(t, s.Talk.History, 2, "what it said belongs to what it wanted")
	s = sessions.Sessions.State(chat, heard, askedMind, thought, spoke, told, wishOpened, wishEnded)
	require.Nil(t, s.Talk.Wanted())
	require.Len(t, s.Talk.Unsure, 1)
	s = sessions.Sessions.State(chat, heard, askedMind, thought, spoke, turned)
	require.Equal(t, []sessions.Line{{Text: "Hello", N: 1}, {Agent: "front", Text: "One moment.", N: 2}}, s.Talk.History)
}

// Given a call whose answer comes later, then the session is suspended until it is there, and the
// turn's own time begins anew.
func TestASessionIsSuspended(t *testing.T) {
	s := sessions.Sessions.State(chat, heard, later, sent)
	require.Equal(t, &sessions.Suspension{CallID: "c3", ExpiresAt: sent.ExpiresAt}, s.Talk.Suspended())
	require.Empty(t, s.Talk.Running.Call("c3").Try, "nobody makes it any more")
	s = sessions.Sessions.State(chat, heard, later, sent, replied)
	require.Nil(t, s.Talk.Suspended())
	require.Equal(t, replied.At, s.Talk.Running.At)
	require.Nil(t, sessions.Sessions.State(chat, heard, later, sent, wasReset).Talk.Suspended())
}

func TestAResetBeginsAnew(t *testing.T) {
	reset := sessions.Reset{At: wasReset.At}
	got, err := reset.Decide(sessions.Sessions.State(chat, heard, entered, filled, set, said, turned))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{wasReset}, got)
	s := sessions.Sessions.State(chat, heard, entered, filled, set, said, turned, wasReset)
	require.Equal(t, []any{"front", "", 2}, []any{s.Talk.Agent, s.Talk.Step, s.ResetBefore})
	require.Equal(t, turned.Figures, s.Talk.Figures, "figures go on")
	require.Equal(t, chat.Begun.Variables, s.Talk.Vars)
	require.Empty(t, s.Talk.Slots)
	for _, past := range [][]event.Payload{{chat}, {chat, heard, said, turned, wasReset}} {
		got, err = reset.Decide(sessions.Sessions.State(past...))
		require.NoError(t, err)
		require.Empty(t, got, "nothing was said since")
	}
	for _, past := range [][]event.Payload{{opened}, {chat, heard, ended}} {
		_, err = reset.Decide(sessions.Sessions.State(past...))
		require.True(t, fault.Is(err, fault.Conflict))
	}
}

func TestFeedbackIsTakenOfASessionThatThereIs(t *testing.T) {
	give := sessions.GiveFeedback{MessageID: "m2", Rating: "up", Comment: "Good", At: noon}
	got, err := give.Decide(sessions.Sessions.State(chat, ended))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{rated}, got)
	_, err = give.Decide(sessions.State{})
	require.True(t, fault.Is(err, fault.NotFound))
	_, err = give.Decide(sessions.Sessions.State(chat, ended, sessions.Erased{}))
	require.True(t, fault.Is(err, fault.Gone), "nobody would forget the comment")
}

// Ids of messages are the same whoever computes them, and differ by session and number.
func TestIdsOfMessages(t *testing.T) {
	require.Equal(t, sessions.MessageID(chat.SessionID, 1), sessions.MessageID(chat.SessionID, 1))
	require.NotEqual(t, sessions.MessageID(chat.SessionID, 1), sessions.MessageID(chat.SessionID, 257))
	require.NotEqual(t, sessions.MessageID("a", 1), sessions.MessageID("b", 1))
}
