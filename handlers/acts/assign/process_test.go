package assign_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
)

func newWorld(t *rapid.T) *world {
	w := &world{t: t, now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), transfers: map[string]transfers.State{},
		desks: map[string]humanagents.Desk{},
		lines: map[string]waitinglines.State{}, limits: map[string]int{}, sessions: map[string]bool{}, done: map[string]bool{},
		history: map[string][]event.Payload{}}
	for i := range rapid.IntRange(1, 3).Draw(t, "agents") {
		agent := fmt.Sprintf("a-%d", i)
		w.limits[agent] = rapid.IntRange(1, 2).Draw(t, "limit")
		w.change(agent, humanagents.SetPresence{HumanAgentID: agent, Type: humanagents.Available, At: w.now}.Decide)
	}
	return w
}

// change is a command from outside, such as a timer's.
func (w *world) change(agent string, decide func(humanagents.Desk) ([]event.Payload, error)) {
	d := w.desks[agent]
	events, err := decide(d)
	require.NoError(w.t, err)
	for _, e := range events {
		humanagents.Desks.Fold(&d, e)
		w.pending = append(w.pending, happened{agent, e, 0})
	}
	w.desks[agent] = d
}

func (w *world) changeTransfer(id string, decide func(transfers.State) ([]event.Payload, error)) {
	s := w.transfers[id]
	events, err := decide(s)
	require.NoError(w.t, err)
	for _, e := range events {
		transfers.Transfers.Fold(&s, e)
		w.happens(id, e)
	}
	w.transfers[id] = s
}

// ask is a request: it puts the transfer down, and goes through it as reactors do.
func (w *world) ask(session string) {
	if w.sessions[session] {
		return
	}
	id := fmt.Sprintf("00000000-0000-7000-8000-%012d", len(w.order))
	r := transfers.Request{TransferID: id, SessionID: session, Kind: humanagents.Chat, ConversationID: "c-" + id, At: w.now, Turn: 1}
	for _, other := range w.order {
		if w.transfers[other].Request.SessionID == session {
			// not all it could have seen
			r.Turn = max(r.Turn, w.transfers[other].Request.Turn+rapid.IntRange(0, 1).Draw(w.t, "did the request see it"))
		}
	}
	if rapid.Bool().Draw(w.t, "to the queue") {
		r.Queue = transfers.Queue{ID: oneQueue, Wait: time.Minute}
	} else {
		r.HumanAgentID = fmt.Sprintf("a-%d", rapid.IntRange(0, len(w.limits)-1).Draw(w.t, "agent"))
	}
	w.order = append(w.order, id)
	w.changeTransfer(id, r.Decide)
	if r.Queue.ID != "" { // its first step is in the same commit, by what the request could see: anything
		w.changeTransfer(id, rapid.SampledFrom([]func(transfers.State) ([]event.Payload, error){
			transfers.Wait{At: w.now}.Decide, transfers.MakeOffer{HumanAgentID: "a-0", At: w.now}.Decide,
			func(transfers.State) ([]event.Payload, error) { return nil, nil }, // as older versions asked
		}).Draw(w.t, "first"))
	}
}

// comes is somebody who has come to a conversation by another way, and has left again: an agent, or nobody that we know.
func (w *world) comes() {
	if len(w.order) == 0 {
		return
	}
	id := rapid.SampledFrom(w.order).Draw(w.t, "transfer")
	agent := rapid.SampledFrom([]string{"", "a-0"}).Draw(w.t, "who came")
	w.changeTransfer(id, transfers.TakeUp{HumanAgentID: agent, ClaimID: "h-" + id, At: w.now}.Decide)
}

func (w *world) timers() {
	for agent := range w.limits {
		w.change(agent, humanagents.Lapse{HumanAgentID: agent, At: w.now}.Decide)
	}
	for _, id := range w.order {
		w.changeTransfer(id, transfers.TimeOut{At: w.now}.Decide)
	}
}

func (w *world) deliver(i int, again bool) {
	h := w.pending[i]
	if !again {
		w.pending = append(w.pending[:i:i], w.pending[i+1:]...)
	}
	w.handle(h)
}

// quiet lets everything that has begun come to its end, without further deaths.
func (w *world) quiet() {
	for n := 0; len(w.actors) > 0 || len(w.pending) > 0; n++ {
		require.Less(w.t, n, 200_000, "it never comes to rest: %v", w.pending)
		if len(w.actors) > 0 {
			w.move(0, true)
			continue
		}
		w.deliver(0, false)
	}
}

// Whatever dies wherever: a transfer is assigned once or not at all, nobody has more
// than they can, nothing that was claimed is lost, and nobody waits while an agent is
// free.
func TestTransfersSurviveEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(5, 150).Draw(t, "moves") {
			switch what := rapid.IntRange(0, 21).Draw(t, "what"); {
			case what < 2:
				w.ask(fmt.Sprintf("s-%d", rapid.IntRange(0, 3).Draw(t, "session")))
			case what == 2:
				w.now = w.now.Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "seconds")) * time.Second)
				w.timers()
			case what == 3:
				session := fmt.Sprintf("s-%d", rapid.IntRange(0, 3).Draw(t, "session"))
				w.sessions[session] = true
				w.pending = append(w.pending, happened{session, sessionOver{}, 0})
			case what == 4:
				agent := fmt.Sprintf("a-%d", rapid.IntRange(0, len(w.limits)-1).Draw(t, "agent"))
				presence := rapid.SampledFrom([]humanagents.PresenceType{humanagents.Available, humanagents.Offline}).Draw(t, "presence")
				w.change(agent, humanagents.SetPresence{HumanAgentID: agent, Type: presence, At: w.now}.Decide)
			case what == 20:
				w.comes()
			case what == 21 && rapid.IntRange(0, 9).Draw(t, "is the queue removed") == 0:
				w.removed = true
				w.pending = append(w.pending, happened{oneQueue, queueRemoved{}, 0})
			case what < 8 && len(w.pending) > 0:
				w.deliver(rapid.IntRange(0, len(w.pending)-1).Draw(t, "event"), what == 5)
			case len(w.actors) > 0:
				w.move(rapid.IntRange(0, len(w.actors)-1).Draw(t, "actor"), what != 8)
			}
		}
		w.quiet()
		w.now = w.now.Add(31 * time.Second) // what nobody confirmed lapses
		w.timers()
		w.quiet()
		w.settled()
		for session := range map[string]bool{"s-0": true, "s-1": true, "s-2": true, "s-3": true} {
			w.sessions[session] = true
			w.pending = append(w.pending, happened{session, sessionOver{}, 0})
		}
		w.quiet()
		for _, id := range w.order {
			require.True(t, w.transfers[id].Final(), "%s is %s", id, w.transfers[id].Phase)
		}
		for agent, d := range w.desks {
			require.Empty(t, d.Claims, "of %s", agent)
		}
		require.Empty(t, w.lines[oneQueue].Line)
	})
}

// settled: nothing is under way. Who has capacity has it for a transfer that is
// assigned, and the other way round.
func (w *world) settled() {
	w.holds()
	accepted := map[string]int{}
	held := 0
	for _, id := range w.order {
		s := w.transfers[id]
		switch s.Phase {
		case transfers.PhaseAssigned:
			accepted[s.Request.SessionID]++
			if s.TakenUp() {
				break
			}
			require.True(w.t, w.desks[s.HumanAgentID].Claims[s.ClaimID].Confirmed, "%s of %s", s.ClaimID, s.HumanAgentID)
			held++
		case transfers.PhaseQueued:
			require.True(w.t, inLine(w.lines[oneQueue], id))
			accepted[s.Request.SessionID]++
		default:
			require.True(w.t, s.Final(), "%s is %s", id, s.Phase)
			require.False(w.t, inLine(w.lines[oneQueue], id))
			require.False(w.t, s.TakenUp() && s.Reason == transfers.ClaimLost, "%s: nothing was claimed for who came", id)
		}
		require.NotEmpty(w.t, s.Answer.Status)
	}
	free, claims := 0, 0
	for agent, d := range w.desks {
		claims += len(d.Claims)
		if d.Presence() == humanagents.Available {
			free += w.limits[agent] - len(d.Claims)
		}
	}
	require.Equal(w.t, held, claims, "claims without a transfer")
	for session, n := range accepted {
		require.Equal(w.t, 1, n, "transfers of %s", session)
	}
	if free > 0 || w.removed {
		require.Empty(w.t, w.lines[oneQueue].Line, "they wait, and somebody is free, or nobody ever will be")
	}
}

func inLine(line waitinglines.State, id string) bool {
	for _, p := range line.Line {
		if p.TransferID == id {
			return true
		}
	}
	return false
}
