package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

// What becomes of a message is the same whoever asks: the state, in which requests and sockets wait, and who reads the
// events later.
func TestWhatBecomesOfAMessage(t *testing.T) {
	taken := threads.Taken{Number: 1, SessionID: "s-1", Turn: 2, MessageID: "m-1", At: noon}
	passedOn := threads.Taken{Number: 1, SessionID: "s-1", At: noon}
	over := func(session string, turn int, action sessions.Action) threads.WasOver {
		return threads.WasOver{SessionID: session, Turn: turn, Action: action, At: noon}
	}
	for name, c := range map[string]struct {
		says   channels.Saying
		events []event.Payload
		want   threads.Fate
	}{
		"nothing yet": {want: threads.Fate{}},
		"a session took it": {events: []event.Payload{taken},
			want: threads.Fate{Session: "s-1", Turn: 2, MessageID: "m-1"}},
		"its turn is over": {events: []event.Payload{taken, over("s-1", 2, sessions.EndAction), over("s-1", 3, sessions.Continue)},
			want: threads.Fate{Session: "s-1", Turn: 2, MessageID: "m-1", Over: sessions.EndAction}},
		"its turn was over before it was noted whose it was": {events: []event.Payload{over("s-1", 2, sessions.Continue), taken},
			want: threads.Fate{Session: "s-1", Turn: 2, MessageID: "m-1", Over: sessions.Continue}},
		"a turn before it is over, and one of another session": {
			events: []event.Payload{over("s-0", 9, sessions.EndAction), taken, over("s-1", 1, sessions.EndAction),
				over("s-0", 9, sessions.EndAction)},
			want: threads.Fate{Session: "s-1", Turn: 2, MessageID: "m-1"}},
		"it was passed on to people": {events: []event.Payload{passedOn, over("s-1", 3, sessions.EndAction)},
			want: threads.Fate{Session: "s-1", Over: sessions.ToPeople}},
		"it is who picks up, where the agent had begun before": {says: channels.Begins, events: []event.Payload{passedOn},
			want: threads.Fate{Session: "s-1", Over: sessions.Continue}},
		"it is who picks up, where people have the session": {says: channels.Begins,
			events: []event.Payload{threads.Taken{Number: 1, SessionID: "s-1", People: true, At: noon}},
			want:   threads.Fate{Session: "s-1", Over: sessions.ToPeople}},
		"nobody answers it": {events: []event.Payload{threads.Refused{Number: 1, Code: "NOT_FOUND", Reason: "nothing is deployed", At: noon}},
			want: threads.Fate{Refused: "NOT_FOUND", Reason: "nothing is deployed", RefusedAt: noon}},
		"nobody answers another": {events: []event.Payload{threads.Refused{Number: 2, Code: "NOT_FOUND", At: noon}}},
		"the person has left": {events: []event.Payload{taken, threads.Left{At: noon}},
			want: threads.Fate{Session: "s-1", Turn: 2, MessageID: "m-1", Refused: threads.CodeLeft, Reason: "the person has left",
				RefusedAt: noon}},
		"the person left behind it": {events: []event.Payload{taken, over("s-1", 2, sessions.Continue), threads.Left{At: noon}},
			want: threads.Fate{Session: "s-1", Turn: 2, MessageID: "m-1", Over: sessions.Continue}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Number, c.want.Says = 1, c.says
			came := threads.Received{Number: 1, TenantID: "acme", ConnectionID: "cn-1", Asked: true, Says: c.says, At: noon}
			events := append([]event.Payload{came}, c.events...)
			s := (&story{T: t}).given(events...)
			require.Equal(t, c.want, s.Questions[0].Fate)
			require.Equal(t, c.want.Decided(), s.Over(1))

			x, is := threads.ExchangeOf(events, 1)
			require.True(t, is)
			require.Equal(t, []any{c.want, came}, []any{x.Fate, x.Received})
		})
	}
}
