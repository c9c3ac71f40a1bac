package rooms_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	"github.com/parley-platform/parley/handlers/reactors/voice/rooms"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// door is an account of rooms, a room in which an agent can be or not, and who carries.
type door struct {
	account error
	join    error
	take    error
	joined  int
	left    int
	carried chan string
}

func (d *door) Connection(context.Context, string) (channels.Connection, error) {
	return channels.Connection{ID: "cn-1"}, d.account
}

func (d *door) Facts() <-chan calls.Fact                  { return nil }
func (d *door) Say(context.Context, string, string) error { return nil }
func (d *door) HangUp(context.Context) error              { d.left++; return nil }
func (d *door) agents(store *eventstore.Store) rooms.Agents {
	return rooms.Agents{Store: store, Accounts: d, Log: slog.New(slog.DiscardHandler),
		Join: func(_ context.Context, c channels.Connection, of calls.State) (rooms.Line, error) {
			d.joined++
			return d, d.join
		},
		Take: func(_ context.Context, call, stream string, _ rooms.Line) (func(), error) {
			return func() { d.carried <- call + " " + stream }, d.take
		}}
}

const room = "t_acme__p_a-1__s_s-9"

func arrived(more ...func(*calls.Arrived)) calls.Arrived {
	e := calls.Arrived{CallID: "r-1", TenantID: "acme", ProjectID: "a-1", ConnectionID: "cn-1", Provider: calls.ProviderLiveKit,
		ProviderID: room, Person: "s_s-9", OurNumber: room, Direction: calls.Inbound, SessionID: "s-1", AnswerBy: noon, At: noon}
	for _, f := range more {
		f(&e)
	}
	return e
}

func joins(e *calls.Arrived)  { e.Joins = true }
func twilio(e *calls.Arrived) { e.Provider = calls.ProviderTwilio }

// Given somebody who came into a room, then an agent comes too, if there is one, and the line is taken once; what cannot be
// is tried again or left, and then nobody of ours is in the room.
func TestWhoComesIntoARoom(t *testing.T) {
	came := calls.StatusTold{Status: calls.ToldInProgress, Raw: "participant_joined", At: noon}
	manifest := map[string]sessions.Pinned{"desk": {}}
	answered := calls.Answered{At: noon, SessionID: "s-1", Agent: &calls.Agent{Name: "desk", Manifest: manifest}}
	nobody := calls.Answered{At: noon, SessionID: "s-1"}
	opened := sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "a-1", Channel: "chat", AgentName: "desk", At: noon}
	talks := opened
	talks.Begun = &sessions.Begun{Manifest: manifest}
	type given struct {
		call    []event.Payload
		session *sessions.Opened
	}
	of := func(agent *sessions.Opened, e ...event.Payload) given { return given{e, agent} }
	good := of(nil, arrived(), answered, came)
	full, used, over := fault.New(fault.QueueFull, "full"), fault.New(fault.Unauthorized, "used"), fault.New(fault.Conflict, "over")
	stays := fmt.Errorf("%w: its token is refused", rooms.ErrStaysOut)
	for name, c := range map[string]struct {
		given
		door         door
		joined, left int
		carried      bool
		err          string
	}{
		"an agent that was deployed":  {given: good, joined: 1, carried: true},
		"the session's own":           {given: of(&talks, arrived(joins), nobody, came), joined: 1, carried: true},
		"nobody can answer":           {given: of(nil, arrived(), nobody, came)},
		"nobody has the session":      {given: of(&opened, arrived(joins), nobody, came)},
		"nobody is in the room":       {given: of(nil, arrived(), came)},
		"it is over":                  {given: of(nil, arrived(), answered, came, calls.Completed{At: noon})},
		"another node has it":         {given: of(nil, arrived(), answered, calls.LineTaken{Try: "t", Node: "n2", At: noon}, came)},
		"it is no room":               {given: of(nil, arrived(twilio), answered, came)},
		"the account is gone":         {given: good, door: door{account: fault.New(fault.NotFound, "gone")}},
		"the account is not known":    {given: good, door: door{account: errors.New("away")}, err: "away"},
		"it cannot be joined":         {given: good, door: door{join: stays}, joined: 1},
		"it cannot be joined now":     {given: good, door: door{join: errors.New("away")}, joined: 1, err: "away"},
		"another was faster":          {given: good, door: door{take: used}, joined: 1, left: 1},
		"it was over a moment before": {given: good, door: door{take: over}, joined: 1, left: 1},
		"this node is full": {given: good, door: door{take: full}, joined: 1,
			left: 1, err: "full"},
	} {
		t.Run(name, func(t *testing.T) {
			w := reactorstest.New(t, noon)
			reactorstest.Given(w, calls.Calls, calls.Calls.Stream("r-1"), c.call...)
			if c.session != nil {
				reactorstest.Given(w, sessions.Sessions, sessions.Sessions.Stream("s-1"), *c.session)
			}
			d := &c.door
			d.carried = make(chan string, 1)
			err := w.Play(t.Context(), d.agents(w.Store).Reactor())
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
			} else {
				require.NoError(t, err)
			}
			if c.carried {
				require.Equal(t, "r-1 "+room, <-d.carried)
			}
			require.Equal(t, []int{c.joined, c.left}, []int{d.joined, d.left})
		})
	}
}

// Only that somebody has come into a room is of interest.
func TestWhatSaysThatSomebodyCame(t *testing.T) {
	only := rooms.Agents{}.Reactor().Only
	for raw, want := range map[string]bool{"participant_joined": true, "participant_left": false, "agent_joined": false,
		"in-progress": false} {
		data, err := json.Marshal(calls.StatusTold{Raw: raw})
		require.NoError(t, err)
		require.Equal(t, want, only(&eventstore.Record{Data: data}), raw)
	}
	require.False(t, only(&eventstore.Record{Data: []byte("{")}))
}
