package reporting_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/reporting"
)

func TestWhichConversationsAreOfASession(t *testing.T) {
	s := reporting.Session{SessionID: "s", ConversationID: "call", Transfers: []reporting.Transfer{{ConversationID: "moved"}}}
	all := []reporting.Conversation{{ConversationID: "call"}, {ConversationID: "a", SessionID: "s"}, {ConversationID: "moved"},
		{ConversationID: "s"}, {ConversationID: "b", SessionID: "other"}, {ConversationID: "c"}}
	require.Equal(t, all[:4], s.Of(all))
	require.Empty(t, reporting.Session{ConversationID: "x"}.Of(all), "nothing in common is not an empty session id in common")
}

func TestConversationsOfOneSessionAreToldAsOne(t *testing.T) {
	ada, ben := []reporting.Stay{{Identity: "ada"}}, []reporting.Stay{{Identity: "ben"}}
	require.Nil(t, reporting.AsOne(nil))
	for name, c := range map[string]struct {
		all  []reporting.Conversation
		want string // whose it is
	}{
		"the newest":          {[]reporting.Conversation{{ConversationID: "1"}, {ConversationID: "2"}}, "2"},
		"the one with agents": {[]reporting.Conversation{{ConversationID: "1", Participants: ada}, {ConversationID: "2"}}, "1"},
		"the newest of those": {[]reporting.Conversation{{ConversationID: "1", Participants: ada}, {ConversationID: "2", Participants: ben},
			{ConversationID: "3"}}, "2"},
		"with agents, and the last one": {[]reporting.Conversation{{ConversationID: "1"}, {ConversationID: "2", Participants: ben}}, "2"},
	} {
		require.Equal(t, c.want, reporting.AsOne(c.all).ConversationID, name)
	}
	one := []string{"one"}
	noted := reporting.Conversation{ConversationID: "call", Dispositions: one, DispositionRemarks: one, AgentNotes: one, UserLevelTags: one,
		SessionLevelTags: []conversations.Tag{{Name: "n"}}, MetaInfo: json.RawMessage(`{"a":1}`),
		AfterCallWork: []conversations.AfterCallWork{{DurationMs: 1}}}
	got := *reporting.AsOne([]reporting.Conversation{noted, {ConversationID: "moved", Participants: ada}})
	want := noted
	want.ConversationID, want.Participants = "moved", ada
	require.Equal(t, want, got, "what was noted in another fills what was not")
	got = *reporting.AsOne([]reporting.Conversation{noted, {ConversationID: "moved", Participants: ada, Dispositions: []string{"own"}}})
	require.Equal(t, []string{"own"}, got.Dispositions)
}

func TestWhoIsNamedAsAnAgent(t *testing.T) {
	all := []reporting.Session{
		{Transfers: []reporting.Transfer{{HumanAgentID: "a-2"}, {HumanAgentID: "a-3"}, {}}, Said: map[string][]time.Time{"a-9": nil, "a-2": nil}},
		{Conversation: &reporting.Conversation{Participants: []reporting.Stay{{Identity: "ada", Email: "ada@example.com"}},
			AfterCallWork: []conversations.AfterCallWork{{HumanAgentID: "a-1"}, {}}}},
	}
	require.Equal(t, []string{"a-1", "a-2", "a-3", "a-9", "ada", "ada@example.com"}, reporting.AgentsOf(all))
}
