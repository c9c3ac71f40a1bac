package replays

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// input is what a decision was made on.
type input struct {
	turn   int
	words  string
	decide func(sessions.State) ([]event.Payload, error)
}

// behind is what is left of a commit behind what no turn decides: that the session began, and what
// the channel knows. That is folded.
func behind(s *sessions.State, c Commit) Commit {
	for len(c) > 0 {
		switch c[0].(type) {
		case sessions.Opened, sessions.Informed:
			sessions.Sessions.Fold(s, c[0])
			c = c[1:]
		default:
			return c
		}
	}
	return nil
}

// only is the one event of a commit; nil: there are others.
func only(c Commit) event.Payload {
	if len(c) != 1 {
		return nil
	}
	return c[0]
}

// inputOf is the input that a commit came of; nil: it is no decision of a turn, or one that is
// not known.
func inputOf(s sessions.State, c Commit, programs turns.Programs) (of *input, known bool) {
	first := firstOf(c)
	if n, _ := only(c).(sessions.Noticed); n.What == sessions.MessageDropped {
		return nil, true // as what says no more than what was asked for
	}
	switch first.(type) {
	case nil:
		return nil, len(c) == 0
	case sessions.ContactLinked, sessions.Attached, sessions.MessageTakenBack, sessions.FeedbackGiven, sessions.SessionEnded,
		sessions.WasReset, sessions.Erased, sessions.ModelCounted:
		return nil, true // which say no more than what was asked for
	}
	if of := ofPeople(s, c, first, programs); of != nil {
		return of, true
	}
	in := inTurn(first)
	of = &input{turn: in.Turn}
	at, try := in.At, tryOf(c)
	if cut := brokenOff(s, c); cut != nil {
		of.words, of.decide = "that the server cannot go on", cut
		return of, true
	}
	if cut := cutOff(c); cut != nil {
		of.words, of.decide = "a cancel", cut
		return of, true
	}
	if call := takenOver(c, first); call != "" {
		of.words, of.decide = "that another goes on with a call", turns.TakeOver{From: claimOf(s, call), Programs: programs, At: at,
			Try: try}.Decide
		return of, true
	}
	if letGo(first) {
		of.words, of.decide = lateDelegates, turns.Late{Programs: programs, At: at, Try: try}.Decide
		return of, true
	}
	switch e := first.(type) {
	case sessions.MessageReceived:
		message := received(e, c, programs, try)
		message.OnCall, message.Asked = s.CallID != "", s.Talk.Assists != ""
		of.words, of.decide = fmt.Sprintf("the message %q", e.Text), message.Decide
	case sessions.PickedUp:
		of.words, of.decide = "that the call is picked up", turns.PickUp{Programs: programs, At: at, Try: try,
			InRoom: true}.Decide // somebody was there, or it would not stand on the log
	case sessions.MemoryTold:
		return remembered(s, e, c, programs), true
	case sessions.CallEnded:
		of.words = fmt.Sprintf("the outcome %s of the tool %s", strings.TrimSpace(string(e.Outcome)+" "+e.Code), e.Tool)
		of.decide = turns.Outcome{CallID: e.CallID, Ended: e, Programs: programs, At: at, Try: try}.Decide
	case sessions.ModelAnswered:
		of.words, of.decide = "the answer of the model", turns.Outcome{CallID: e.CallID, Answer: wanted(e, c), Programs: programs, At: at,
			Try: try}.Decide
	case sessions.CallSent:
		of.words, of.decide = "that a call was made whose answer comes later", turns.Suspend{CallID: e.CallID, Programs: programs, At: at}.Decide
	default:
		return nil, false
	}
	return of, true
}

const lateDelegates = "the end of the time that delegates have"

// letGo is whether a commit begins with the end of a delegate that nothing brought about but time: of what it waited for, or its own.
func letGo(first event.Payload) bool {
	if e, is := first.(sessions.CallEnded); is {
		return e.Code == sessions.CodeCancelled
	}
	_, is := first.(sessions.DelegateEnded)
	return is
}

// takenOver is a call that another took over: it claims it, or says that nobody knows what came of
// it; empty: that is not what a commit came of.
func takenOver(c Commit, first event.Payload) string {
	for _, p := range c {
		if e, is := p.(sessions.CallClaimed); is {
			return e.CallID
		}
	}
	if e, _ := first.(sessions.CallEnded); e.Outcome == sessions.CallUnknown && e.Code == sessions.CodeUnknown && e.Tries == 0 {
		return e.CallID
	}
	return ""
}

// remembered is what came of stores: of those that a turn reads or writes, or of those that a tool
// sees, whose outcome comes with it. What the session knew is not told, and is the same.
func remembered(s sessions.State, told sessions.MemoryTold, c Commit, programs turns.Programs) *input {
	stores := slices.Clone(told.Stores)
	for i, of := range stores {
		if known := s.Talk.Memorized(of.StoreOf); of.Known && known != nil {
			stores[i].Content = known.Content
		}
	}
	if r := s.Talk.Running; r != nil && r.Memory != nil && r.Memory.CallID == told.CallID {
		return &input{told.Turn, "what came of stores of memory", turns.Recalled{CallID: told.CallID, Stores: stores, Programs: programs,
			At: told.At, Try: tryOf(c)}.Decide}
	}
	of := turns.Outcome{CallID: told.CallID, Memory: stores, Programs: programs, At: told.At, Try: tryOf(c)}
	for _, p := range c {
		if e, _ := p.(sessions.CallEnded); e.CallID == told.CallID {
			of.Ended = e
		}
	}
	return &input{told.Turn, "the outcome of the tool " + of.Ended.Tool + ", and what it left in stores", of.Decide}
}

// ofPeople is what people have to do with a session: they take it, say something, are told
// something, and give it back; nil: that is not what a commit came of.
func ofPeople(s sessions.State, c Commit, first event.Payload, programs turns.Programs) *input {
	of := input{turn: s.Talk.Turns}
	switch e := first.(type) {
	case sessions.PassedOn:
		of.words = fmt.Sprintf("the message %q, for people", e.Text)
		of.decide = judged(turns.Receive{Text: e.Text, Action: e.Action, Metadata: e.Metadata, Programs: programs, Attached: e.Attachments,
			OnCall: s.CallID != "", At: e.At}, "", c).Decide
	case sessions.PersonSaid:
		of.words, of.decide = "what a person said", sessions.HearPerson{ConversationID: e.ConversationID, Number: e.Number,
			HumanAgentID: e.HumanAgentID, Text: e.Text, At: e.At}.Decide
	case sessions.TakenByPeople:
		of.words, of.decide = "that people take the session", sessions.Take{TransferID: e.TransferID, ConversationID: e.ConversationID,
			QueueID: e.QueueID, HumanAgentID: e.HumanAgentID, Elsewhere: e.Elsewhere, Turn: e.Turn, At: e.At}.Decide
	case sessions.GivenBack:
		of.words, of.decide = "that people give the session back", turns.GiveBack{TransferID: e.TransferID, Turn: e.TransferTurn,
			Taken: e.TransferTurn != 0, Failed: e.Failed, Reason: e.Reason, Programs: programs, Refused: refusedSource(c), At: e.At,
			Try: tryOf(c)}.Decide
		of.turn = max(of.turn, e.Turn)
	default:
		return nil
	}
	return &of
}

// firstOf is the event that says what a commit came of; nil: nothing but what was noticed is in it.
// What a model wants too much of is noticed before its answer.
func firstOf(c Commit) event.Payload {
	for _, p := range c {
		if _, noticed := p.(sessions.Noticed); !noticed {
			return p
		}
	}
	return nil
}

// inTurn is what the events of turns have in common.
func inTurn(p event.Payload) (in sessions.InTurn) {
	if of, is := p.(interface{ Of() sessions.InTurn }); is {
		in = of.Of()
	}
	return in
}

// tryOf is who made the calls that a commit wants. Any will do where it wants none.
func tryOf(c Commit) sessions.Claimed {
	for _, p := range c {
		switch e := p.(type) {
		case sessions.CallOpened:
			if e.Try != "" {
				return e.Claimed
			}
		case sessions.ModelAsked:
			return e.Claimed
		case sessions.MemoryAsked:
			if e.Try != "" {
				return e.Claimed
			}
		case sessions.CallClaimed:
			return e.Claimed
		}
	}
	return sessions.Claimed{Process: "replay", Try: "replay"}
}

// claimOf is the try that had a call before another took it over.
func claimOf(s sessions.State, call string) string {
	r := s.Talk.Running
	if of := r.Call(call); of != nil {
		return of.Try
	}
	if of := r.Question(call); of != nil {
		return of.Try
	}
	if r != nil && r.Memory != nil && r.Memory.CallID == call {
		return r.Memory.Try
	}
	return ""
}

// brokenOff is why the server could not go on with a turn; nil: it could.
func brokenOff(s sessions.State, c Commit) func(sessions.State) ([]event.Payload, error) {
	ended, _ := c[len(c)-1].(sessions.TurnEnded)
	claims := s.Talk.Running.Claims()
	if ended.Failed != sessions.CodeSource || len(claims) == 0 {
		return nil
	}
	return sessions.BreakOff{Try: claims[0].Try, Why: ended.Failed, Detail: refusedSource(c), At: ended.At}.Decide
}

// cutOff is what ended a turn before its time; nil: nothing did.
func cutOff(c Commit) func(sessions.State) ([]event.Payload, error) {
	var at time.Time
	for _, p := range c {
		if e, _ := p.(sessions.TurnEnded); e.Action == sessions.CutOff {
			at = e.At
		}
	}
	if at.IsZero() {
		return nil
	}
	switch last := c[len(c)-1].(type) {
	case sessions.SessionEnded:
		return sessions.End{Reason: last.Reason, At: last.At}.Decide
	case sessions.WasReset:
		return sessions.Reset{At: last.At}.Decide
	}
	return sessions.CancelTurn{At: at}.Decide
}

// refusedSource is what is wrong with the source with which the server could not go on; empty: it could.
func refusedSource(c Commit) string {
	for _, p := range c {
		if e, _ := p.(sessions.Noticed); e.What == sessions.CodeSource {
			return e.Detail
		}
	}
	return ""
}

// received is a message as the guardrails left it, with what a test brought along.
func received(e sessions.MessageReceived, c Commit, programs turns.Programs, try sessions.Claimed) turns.Receive {
	r := turns.Receive{Text: e.Text, Action: e.Action, Metadata: e.Metadata, Programs: programs, Attached: e.Attachments, At: e.At, Try: try}
	if b := e.Brought; b != nil {
		r.StartAt, r.Mocks, r.SkipOnStart, r.Slots, r.Begins = b.StartAt, b.Mocks, b.SkipOnStart, b.Slots, b.Begins
	}
	return judged(r, e.Blocked, c)
}

// judged is a message with what the guardrails of input said of it, and with the agent whom its
// caller wanted in vain.
func judged(r turns.Receive, blocked string, c Commit) turns.Receive {
	var against []string
	for _, p := range c {
		n, _ := p.(sessions.Noticed)
		switch {
		case n.Kind == "guardrail" && n.Detail == "input":
			against = append(against, n.What)
		case n.Kind == "ignored" && n.What == "agentId":
			r.IgnoredAgent = "another"
		}
	}
	r.Taken = true
	if len(against) > 0 { // also the one that blocks it
		r.Judged = &turns.Judged{Against: against, Blocked: blocked}
	}
	return r
}

// wanted is an answer of a model with as many calls as it wanted: those that were too many are
// not on the log, but their number is.
func wanted(e sessions.ModelAnswered, c Commit) *sessions.ModelAnswered {
	if n, _ := c[0].(sessions.Noticed); n.What == "MODEL_TOOL_CALLS" {
		var all int
		if _, err := fmt.Sscanf(n.Detail, "of %d calls", &all); err == nil {
			e.ToolCalls = append(slices.Clone(e.ToolCalls), make([]sessions.ModelCall, max(0, min(all, 10_000)-len(e.ToolCalls)))...)
		}
	}
	return &e
}
