package graph_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/adapters/channels/graph/graphtest"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

var connection = channels.Connection{ID: "cn-1", External: "1", Credentials: channels.Credentials{
	graph.AppSecret: "a secret of these tests", graph.VerifyToken: "a word & more"}}

// What is promised of requests and answers is checked through every kind, by channelstest.

// Given the question of Meta whether we are there, when it shows the connection's word, then it hears
// its own back.
func TestAChallengeIsAnswered(t *testing.T) {
	good := graphtest.Ask("whatsapp", "hub.mode=subscribe&hub.verify_token=a+word+%26+more&hub.challenge=1158201444")
	require.NoError(t, graph.Verify(connection, good))
	answer, err := graph.Challenge(connection, good)
	require.NoError(t, err)
	require.Equal(t, channels.Answer{ContentType: "text/plain", Body: []byte("1158201444")}, answer)
	for name, query := range map[string]string{
		"nothing":                "",
		"another word":           "hub.mode=subscribe&hub.verify_token=another&hub.challenge=1",
		"a part of it":           "hub.mode=subscribe&hub.verify_token=a+word&hub.challenge=1",
		"no word":                "hub.mode=subscribe&hub.challenge=1",
		"another mode":           "hub.mode=unsubscribe&hub.verify_token=a+word+%26+more&hub.challenge=1",
		"no challenge":           "hub.mode=subscribe&hub.verify_token=a+word+%26+more",
		"one that is too long":   "hub.mode=subscribe&hub.verify_token=a+word+%26+more&hub.challenge=" + strings.Repeat("1", 257),
		"what nobody can decode": "hub.mode=subscribe&hub.verify_token=%zz&hub.challenge=1",
	} {
		err := graph.Verify(connection, graphtest.Ask("whatsapp", query))
		require.True(t, fault.Is(err, fault.Forbidden), "%s: %v", name, err)
		require.NotContains(t, err.Error(), "a word & more")
	}
	bare := connection
	bare.Credentials = channels.Credentials{graph.AppSecret: "x"}
	require.True(t, fault.Is(graph.Verify(bare, graphtest.Ask("whatsapp", "hub.mode=subscribe&hub.challenge=1")), fault.Forbidden),
		"a connection without a word believes nobody")
	posted := graphtest.Post("whatsapp", "{}")
	posted.URL = good.URL
	require.True(t, fault.Is(graph.Verify(connection, posted), fault.Unauthorized), "the word is no signature")
}

// Given a base, then the version is its end, and without a host the API is where Meta has it.
func TestWhereTheAPIIs(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.URL.Path) }))
	defer s.Close()
	for _, base := range []string{s.URL, s.URL + "/", s.URL + "/v26.0", s.URL + "/v26.0/", s.URL + "/to/meta/v9.0", s.URL + "/vintage"} {
		api, err := graph.New(base)
		require.NoError(t, err)
		for _, host := range []string{graph.Facebook, graph.Instagram} {
			_, _, ok := api.Post(t.Context(), graph.Account{Host: host, Token: "t"}, "/me", nil)
			require.True(t, ok)
		}
	}
	var want []string
	for _, path := range []string{"/v25.0/me", "/v25.0/me", "/v26.0/me", "/v26.0/me", "/to/meta/v9.0/me", "/vintage/v25.0/me"} {
		want = append(want, path, path)
	}
	require.Equal(t, want, asked)
	for _, own := range []string{"", "/v26.0"} {
		_, err := graph.New(own)
		require.NoError(t, err)
	}
	for _, none := range []string{"v26.0", "graph.example.com", "ftp://x/v26.0"} {
		_, err := graph.New(none)
		require.EqualError(t, err, "the base URL of Meta must be an absolute http or https URL without a user")
	}
	api, err := graph.New("")
	require.NoError(t, err)
	_, out, ok := api.Post(t.Context(), graph.Account{Host: graph.Facebook}, "/%zz", nil)
	require.False(t, ok)
	require.Equal(t, channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the request to Meta cannot be made"}, out)
}

// Given moments as Meta writes them, then each is one, and what is none is no moment.
func TestMomentsOfMeta(t *testing.T) {
	at := time.Unix(1_749_416_383, 0).UTC()
	for written, want := range map[string]time.Time{`1749416383`: at, `"1749416383"`: at, `1749416383000`: at, `"1749416383000"`: at,
		`"soon"`: {}, `-5`: {}, `0`: {}, `null`: {}, `{"a":1}`: {}, `99999999999999999999`: {}} {
		var got struct{ At graph.Time }
		require.NoError(t, json.Unmarshal([]byte(`{"At":`+written+`}`), &got), written)
		require.Equal(t, want, got.At.UTC(), written)
	}
}

// Given many accounts in one envelope, then each is named once.
func TestAccountsAreNamedOnce(t *testing.T) {
	type entry struct{ ID string }
	all, err := graph.Read[entry]([]byte(`{"object":"page","entry":[{"id":"a"},{"id":"b"},{"id":""},{},{"id":"a"}]}`), "page", "")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, graph.Names(all, func(e entry) []string { return []string{e.ID} }))
	all, err = graph.Read[entry]([]byte(`{"object":"page","entry":[{"id":"a"},7,{"id":"b"}]}`), "page", "b")
	require.NoError(t, err, "what cannot be read is another's")
	require.Equal(t, []entry{{"b"}}, all)
	_, err = graph.Read[entry]([]byte(`[]`), "page", "")
	require.EqualError(t, err, "reading a request of Meta: the body is no envelope")
}
