package humanagents_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/humanagents"
)

func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

func presence(typ humanagents.PresenceType, name string, second int) humanagents.SetPresence {
	return humanagents.SetPresence{TenantID: "acct", HumanAgentID: "a-1", Type: typ, Name: name, At: at(second)}
}

// claim takes one of two chats and expires after 10 s.
func claim(id string, second int) humanagents.Claim {
	return humanagents.Claim{TenantID: "acct", HumanAgentID: "a-1", ClaimID: id, ConversationID: "c-" + id, Kind: humanagents.Chat, Limit: 2,
		ExpiresAt: at(second + 10), At: at(second)}
}

func confirm(id string, second int) humanagents.Confirm {
	return humanagents.Confirm{TenantID: "acct", HumanAgentID: "a-1", ClaimID: id, At: at(second)}
}

func release(id string, second int) humanagents.Release {
	return humanagents.Release{TenantID: "acct", HumanAgentID: "a-1", ClaimID: id, At: at(second)}
}

func take(id string, second int) humanagents.Take {
	return humanagents.Take{TenantID: "acct", HumanAgentID: "a-1", ClaimID: id, ConversationID: "c-" + id, Kind: humanagents.Chat,
		At: at(second)}
}

func drop(conversation string, second int) humanagents.Drop {
	return humanagents.Drop{TenantID: "acct", HumanAgentID: "a-1", ConversationID: conversation, At: at(second)}
}

func lapse(second int) humanagents.Lapse {
	return humanagents.Lapse{TenantID: "acct", HumanAgentID: "a-1", At: at(second)}
}

type decider interface {
	Decide(humanagents.Desk) ([]event.Payload, error)
}

func desk(t require.TestingT, past []event.Payload, commands ...decider) []event.Payload {
	for _, c := range commands {
		got, err := c.Decide(humanagents.Desks.State(past...))
		require.NoError(t, err)
		past = append(past, got...)
	}
	return past
}

func refusedFor(t *testing.T, reason humanagents.Reason, code fault.Code, past []event.Payload, c decider) {
	t.Helper()
	_, err := c.Decide(humanagents.Desks.State(past...))
	var r *humanagents.Refusal
	require.True(t, errors.As(err, &r), "%v", err)
	require.Equal(t, reason, r.Reason)
	require.True(t, fault.Is(err, code), "%v", err)
}

func TestPresence(t *testing.T) {
	past := desk(t, nil, presence(humanagents.Offline, "", 0))
	require.Empty(t, past, "who was never there is offline")
	past = desk(t, past, presence(humanagents.Available, "", 1), presence(humanagents.Available, "", 2), presence(humanagents.Available,
		"Ready", 3))
	require.Len(t, past, 2, "the same again is nothing")
	d := humanagents.Desks.State(past...)
	require.Equal(t, "Ready", d.Name)
	require.Equal(t, at(1), d.IdleSince(), "another name does not begin anew")
	past = desk(t, past, presence(humanagents.Away, "Lunch", 4), presence(humanagents.Offline, "", 5), presence(humanagents.Offline, "Gone",
		9))
	d = humanagents.Desks.State(past...)
	require.Equal(t, at(5), d.LastOnlineAt)
	require.True(t, d.AvailableSince.IsZero())
	_, err := presence("SLEEPING", "", 9).Decide(d)
	require.Equal(t, []string{"onlineStatusType"}, faulttest.Fields(t, err))
	_, err = presence(humanagents.Away, "a\nb", 9).Decide(d)
	require.Equal(t, []string{"onlineStatus"}, faulttest.Fields(t, err))
}

func TestOnlyAvailableAgentsTakeConversations(t *testing.T) {
	refusedFor(t, humanagents.ReasonOffline, fault.Conflict, nil, claim("1", 0))
	for typ, reason := range map[humanagents.PresenceType]humanagents.Reason{humanagents.Away: humanagents.ReasonNotAvailable,
		humanagents.Busy: humanagents.ReasonNotAvailable} {
		refusedFor(t, reason, fault.Conflict, desk(t, nil, presence(typ, "", 0)), claim("1", 1))
	}
	inactive := claim("1", 1)
	inactive.Inactive = true
	for _, typ := range humanagents.PresenceTypes() {
		refusedFor(t, humanagents.ReasonNotAvailable, fault.Conflict, desk(t, nil, presence(typ, "", 0)), inactive)
	}
	left := desk(t, nil, presence(humanagents.Available, "", 0), presence(humanagents.Offline, "", 1))
	refusedFor(t, humanagents.ReasonOffline, fault.Conflict, left, claim("1", 2))
}

func TestCapacityIsClaimedUpToTheLimitOfItsKind(t *testing.T) {
	past := desk(t, nil, presence(humanagents.Available, "", 0), claim("1", 1), claim("2", 1), claim("2", 1))
	require.Len(t, past, 3, "the same claim twice is one")
	refusedFor(t, humanagents.ReasonFull, fault.Conflict, past, claim("3", 1))
	again := claim("3", 1)
	again.ConversationID = "c-2"
	had := desk(t, past, again)
	require.Equal(t, 2, had[3].(humanagents.CapacityClaimed).Load, "the conversation that the agent has already is not one more")
	refusedFor(t, humanagents.ReasonFull, fault.Conflict, had, claim("4", 1))
	had = desk(t, had, release("2", 2))
	require.Equal(t, 2, humanagents.Desks.State(had...).Load(humanagents.Chat), "it is there until the last claim of it ends")
	voice := claim("4", 1)
	voice.Kind, voice.Limit = humanagents.Voice, 1
	past = desk(t, past, voice)
	none := claim("5", 1)
	none.Kind, none.Limit = humanagents.Email, 0
	refusedFor(t, humanagents.ReasonUnsupported, fault.Conflict, past, none)
	past = desk(t, past, confirm("1", 2), confirm("1", 20), release("1", 30), release("1", 31), release("none", 31))
	require.Equal(t, at(30), humanagents.Desks.State(past...).IdleSince())
	past = desk(t, past, claim("3", 31))
	refusedFor(t, humanagents.ReasonEnded, fault.Gone, past, claim("1", 31))
	refusedFor(t, humanagents.ReasonEnded, fault.Gone, past, confirm("1", 31))
	refusedFor(t, humanagents.ReasonUnknown, fault.NotFound, past, confirm("none", 31))
}

func TestAConversationThatAnAgentIsInIsCountedWhateverTheyCanHave(t *testing.T) {
	past := desk(t, nil, take("1", 1), take("2", 2), take("3", 3), take("3", 4))
	require.Equal(t, humanagents.CapacityTaken{TenantID: "acct", HumanAgentID: "a-1", ClaimID: "3", ConversationID: "c-3",
		Kind: humanagents.Chat,
		Load: 3, At: at(3)}, past[2])
	require.Len(t, past, 3, "the same twice is one, and offline is no hindrance")
	past = desk(t, past, presence(humanagents.Available, "", 4))
	refusedFor(t, humanagents.ReasonFull, fault.Conflict, past, claim("4", 5))
	past = desk(t, past, lapse(1000), drop("c-1", 6), drop("c-1", 7), drop("c-9", 7))
	require.Equal(t, humanagents.CapacityReleased{TenantID: "acct", HumanAgentID: "a-1", ClaimID: "1", ConversationID: "c-1",
		Kind: humanagents.Chat, Reason: humanagents.ReleasedEnded, Load: 2, At: at(6)}, past[4])
	require.Len(t, past, 5)
	require.Empty(t, desk(t, past, take("1", 8))[5:], "what has ended does not come back")
	past = desk(t, past, drop("c-3", 2))
	require.Len(t, past, 5, "it was given later than they left")
}

func TestAConversationThatRoutingGaveIsNotCountedTwice(t *testing.T) {
	past := desk(t, nil, presence(humanagents.Available, "", 0), claim("1", 1), confirm("1", 2))
	again := take("other", 3)
	again.ConversationID = "c-1"
	require.Empty(t, desk(t, past, again)[3:])
	past = desk(t, past, drop("c-1", 4))
	require.Zero(t, humanagents.Desks.State(past...).Load(humanagents.Chat), "who left is free, whoever brought them there")
	require.Len(t, desk(t, past, release("1", 5)), len(past))
}

func TestAConversationUnderAnotherIDIsNotCountedTwice(t *testing.T) {
	past := desk(t, nil, presence(humanagents.Available, "", 0), claim("1", 1), confirm("1", 2))
	again, gone := take("other", 3), drop("c-other", 4)
	again.Aliases, gone.Aliases = []string{"c-9", "c-1"}, []string{"c-9", "c-1"}
	require.Empty(t, desk(t, past, again)[3:])
	require.Zero(t, humanagents.Desks.State(desk(t, past, gone)...).Load(humanagents.Chat))
}

func TestWrongFieldsOfATake(t *testing.T) {
	c := take("a b", 0)
	c.ConversationID, c.Kind = strings.Repeat("x", 258), "fax"
	_, err := c.Decide(humanagents.Desk{})
	require.Equal(t, []string{"claimId", "conversationId", "kind"}, faulttest.Fields(t, err))
}

func TestAClaimThatIsNotConfirmedInTimeLapses(t *testing.T) {
	expired := claim("0", 1)
	expired.ExpiresAt = at(1)
	past := desk(t, nil, presence(humanagents.Available, "", 0))
	refusedFor(t, humanagents.ReasonExpired, fault.Gone, past, expired)
	past = desk(t, past, claim("1", 1), claim("2", 5), confirm("2", 6), lapse(10))
	require.Len(t, past, 4, "not due")
	refusedFor(t, humanagents.ReasonExpired, fault.Gone, past, confirm("1", 11))
	past = desk(t, past, lapse(11), lapse(12), lapse(1000))
	require.Equal(t, humanagents.CapacityReleased{TenantID: "acct", HumanAgentID: "a-1", ClaimID: "1", ConversationID: "c-1",
		Kind: humanagents.Chat, Reason: humanagents.ReleasedExpired, Load: 1, At: at(11)}, past[4])
	require.Len(t, past, 5, "what was confirmed stays")
}

func TestTheNextExpiryIsThatOfTheFirstUnconfirmedClaim(t *testing.T) {
	past := desk(t, nil, presence(humanagents.Available, "", 0), claim("1", 1), claim("2", 3), confirm("1", 4), confirm("2", 4))
	require.Equal(t, at(11), *past[1].(humanagents.CapacityClaimed).NextExpiry)
	require.Equal(t, at(11), *past[2].(humanagents.CapacityClaimed).NextExpiry)
	require.Equal(t, at(13), *past[3].(humanagents.ClaimConfirmed).NextExpiry)
	require.Nil(t, past[4].(humanagents.ClaimConfirmed).NextExpiry)
}

func TestWrongFieldsOfAClaim(t *testing.T) {
	c := claim("a b", 0)
	c.ConversationID, c.Kind = "", "fax"
	_, err := c.Decide(humanagents.Desk{})
	require.Equal(t, []string{"claimId", "conversationId", "kind"}, faulttest.Fields(t, err))
}

func TestTheStreamOfADesk(t *testing.T) {
	require.Equal(t, "a-1", humanagents.AgentOfDesk("acct", humanagents.DeskStream("acct", "a-1")))
	require.NotEqual(t, humanagents.DeskStream("a", "b-c"), humanagents.DeskStream("a-b", "c"))
}

// TestCapacityWhateverHappens: any commands in any order and with any clock never bring
// an agent over its capacity; the load that events tell is true; a timer that follows
// nextExpiry ends every claim that nobody confirms or releases, and no other.
func TestCapacityWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var past []event.Payload
		open, confirmed := map[string]bool{}, map[string]bool{}
		var timer *time.Time
		now := 0
		for range rapid.IntRange(1, 60).Draw(t, "commands") {
			now += rapid.IntRange(-2, 6).Draw(t, "seconds")
			id := fmt.Sprint(rapid.IntRange(1, 8).Draw(t, "claim"))
			c := claim(id, now)
			c.Kind = rapid.SampledFrom(humanagents.Kinds()).Draw(t, "kind")
			cmd := rapid.SampledFrom([]decider{c, c, c, confirm(id, now), release(id, now), lapse(now), take("t"+id, now), drop("c-"+id, now),
				drop("c-t"+id, now),
				presence(rapid.SampledFrom(humanagents.PresenceTypes()).Draw(t, "presence"), "", now), presence(humanagents.Available, "", now)}).Draw(
				t, "command")
			got, err := cmd.Decide(humanagents.Desks.State(past...))
			if err != nil {
				require.Empty(t, got)
				continue
			}
			for _, e := range got {
				past = append(past, e)
				switch e := e.(type) {
				case humanagents.CapacityClaimed:
					require.False(t, open[e.ClaimID], "one claim is one claim")
					open[e.ClaimID], timer = true, e.NextExpiry
					require.LessOrEqual(t, e.Load, e.Limit)
					require.Equal(t, humanagents.Desks.State(past...).Load(e.Kind), e.Load)
				case humanagents.CapacityTaken:
					require.False(t, open[e.ClaimID], "one claim is one claim")
					open[e.ClaimID], confirmed[e.ClaimID] = true, true
					require.Equal(t, humanagents.Desks.State(past...).Load(e.Kind), e.Load)
				case humanagents.ClaimConfirmed:
					confirmed[e.ClaimID], timer = true, e.NextExpiry
				case humanagents.CapacityReleased:
					require.True(t, open[e.ClaimID])
					require.False(t, e.Reason == humanagents.ReleasedExpired && confirmed[e.ClaimID], "a confirmed claim does not lapse")
					open[e.ClaimID], timer = false, e.NextExpiry
				}
			}
		}
		for timer != nil { // the timer fires when it is due
			got, err := humanagents.Lapse{TenantID: "acct", HumanAgentID: "a-1", At: *timer}.Decide(humanagents.Desks.State(past...))
			require.NoError(t, err)
			require.NotEmpty(t, got, "a due timer has an effect")
			past = append(past, got...)
			timer = got[len(got)-1].(humanagents.CapacityReleased).NextExpiry
		}
		for id, c := range humanagents.Desks.State(past...).Claims {
			require.True(t, c.Confirmed, "claim %s has not ended", id)
		}
	})
}
