package voice

import (
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/projections"
)

// IdleTimer is the name of the timer of a session that takes messages: then nothing was said
// in it for too long.
const IdleTimer = "idle"

// CallTimer is the name of the timer of a session whose turn waits for a call: whoever makes it
// may be no more.
const CallTimer = "call-of-a-turn"

// CallbackTimer is the name of the timer of a session that is suspended: then its callback is too
// late. There are as many as callbacks that are waited for.
const CallbackTimer = "callback-of-a-turn"

// callPatience is how long a call takes before anybody looks whether its caller is there.
const callPatience = 4 * time.Second

// SessionsModel stores one row per session, and keeps the timer of those that take messages.
// The context that changes as the channel learns more is folded from the stream when it is
// needed.
var SessionsModel = newSessionsModel()

func newSessionsModel() *projections.Model {
	// Completions read sessions too, and both keep timers: a node rebuilds them together, so their versions rise together.
	m := projections.NewModel("sessions", 8, []string{"sessions", "timers"}, sessions.Sessions.Category)
	storeSessions(m)
	storeTurns(m)
	storeWaits(m)
	storePeople(m)
	projections.Ignore[sessions.Informed](m)
	projections.Ignore[sessions.PickedUp](m)
	projections.Ignore[sessions.StepEntered](m)
	projections.Ignore[sessions.SlotsFilled](m)
	projections.Ignore[sessions.VariablesSet](m)
	projections.Ignore[sessions.HandedOff](m)
	projections.Ignore[sessions.HandedBack](m)
	projections.Ignore[sessions.WorkGiven](m)
	projections.Ignore[sessions.DelegateBegun](m)
	projections.Ignore[sessions.DelegateSaid](m)
	projections.Ignore[sessions.DelegateEnded](m)
	projections.Ignore[sessions.WorkDone](m)
	projections.Ignore[sessions.MemoryTold](m)
	projections.Ignore[sessions.MemorySet](m)
	projections.Ignore[sessions.ModelAnswered](m)
	projections.Ignore[sessions.ModelCounted](m)
	projections.Ignore[sessions.ModelTold](m)
	projections.Ignore[sessions.FeedbackGiven](m)
	projections.Ignore[sessions.Attached](m)
	projections.Ignore[sessions.MessageTakenBack](m)
	return m
}

// storeSessions is how sessions begin and end, and whose they are.
func storeSessions(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.Opened) {
		row := projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "channel": e.Channel, "call_id": e.CallID,
			"agent_name": e.AgentName, "status": string(sessions.Active), "opened_at": e.At, "contact_id": e.ContactID, "linked_at": nil,
			"active_at": e.At, "deployment_id": "", "environment": "", "test": false, "assists": ""}
		if e.Begun != nil {
			row["deployment_id"], row["environment"], row["test"] = e.Begun.DeploymentID, e.Begun.Environment, e.Begun.Test
			row["assists"] = e.Begun.Assists
		}
		if e.ContactID != "" {
			row["linked_at"] = e.LinkedAt
		}
		b.Put("sessions", projections.Row{"session_id": e.SessionID}, row)
		if e.Begun != nil { // the session of a call ends with that
			b.SetTimer(at, IdleTimer, e.Begun.IdleAt(e.At))
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.ContactLinked) {
		b.Set("sessions", session(at), projections.Row{"contact_id": e.ContactID, "linked_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.Erased) { // no row says whose the session is
		b.Set("sessions", session(at), projections.Row{"erased": true})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.SessionEnded) {
		b.Set("sessions", session(at), projections.Row{"status": string(sessions.Ended), "ended_at": e.At,
			"ended_by": e.Reason})
		b.ClearTimer(at, IdleTimer)
		b.ClearTimer(at, CallTimer)
		b.ClearTimer(at, CallbackTimer)
	})
}

// storeTurns is what a turn leaves: what it says is read in the stream, and its end has the figures.
func storeTurns(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.MessageReceived) {
		b.SetTimer(at, IdleTimer, e.IdleAt(e.At))
		if e.Brought != nil && e.Brought.Begins != nil {
			b.Set("sessions", session(at), projections.Row{"test": true})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.Said) {
		b.SetTimer(at, IdleTimer, e.IdleAt(e.At))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.Noticed) {
		if e.Figures != nil {
			b.Set("sessions", session(at), projections.Row{"traces": e.Figures.Traces})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.TurnEnded) {
		b.Set("sessions", session(at), figured(e.Figures, e.At))
		b.ClearTimer(at, CallTimer)
	})
}

// storeWaits keeps the timers of turns that wait for a call, a model, a memory or a callback.
func storeWaits(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.CallOpened) {
		if e.Try != "" {
			b.SetTimer(at, CallTimer, e.At.Add(callPatience))
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.CallClaimed) {
		b.SetTimer(at, CallTimer, e.At.Add(callPatience))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.CallSent) {
		if e.Delegate != "" { // others work meanwhile
			b.SetTimer(at, CallTimer, e.At.Add(callPatience))
			return
		}
		if e.Figures != nil {
			b.Set("sessions", session(at), figured(*e.Figures, e.At))
		}
		b.ClearTimer(at, CallTimer)
		b.SetTimer(at, CallbackTimer, e.ExpiresAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.CallEnded) { // the turn goes on in the same commit
		if e.Mock == 0 && e.Delegate == "" {
			b.ClearTimer(at, CallbackTimer)
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.ModelAsked) {
		b.SetTimer(at, CallTimer, e.At.Add(callPatience))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.MemoryAsked) {
		b.SetTimer(at, CallTimer, e.At.Add(callPatience))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, _ sessions.WasReset) {
		b.ClearTimer(at, CallTimer)
		b.ClearTimer(at, CallbackTimer)
	})
}

func session(at projections.At) projections.Row { return projections.Row{"session_id": at.StreamID} }

// figured are the columns that a turn leaves.
func figured(f sessions.Figures, at time.Time) projections.Row {
	return projections.Row{"messages": f.Messages, "traces": f.Traces, "errors": f.Errors, "handoffs": f.Handoffs, "active_at": at}
}

// storePeople is what is said while people have a session, which is not idle then.
func storePeople(m *projections.Model) {
	said := func(b *projections.Batch, at projections.At, f sessions.Figures, moment time.Time) {
		b.Set("sessions", session(at), projections.Row{"messages": f.Messages, "traces": f.Traces,
			"active_at": moment})
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.Escalated) {
		if !e.Test { // else nobody has it
			b.ClearTimer(at, IdleTimer)
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, _ sessions.TakenByPeople) { b.ClearTimer(at, IdleTimer) })
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.GivenBack) {
		b.SetTimer(at, IdleTimer, e.IdleAt(e.At))
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.PassedOn) {
		said(b, at, e.Figures, e.At)
		if e.Test {
			b.SetTimer(at, IdleTimer, e.IdleAt(e.At))
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.PersonSaid) {
		said(b, at, e.Figures, e.At)
		if e.Late {
			b.SetTimer(at, IdleTimer, e.IdleAt(e.At))
		}
	})
}
