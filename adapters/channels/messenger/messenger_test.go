package messenger_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/adapters/channels/graph/graphtest"
	"github.com/parley-platform/parley/adapters/channels/messenger"
	"github.com/parley-platform/parley/domain/channels"
)

func connected(id, kind, external, token string) channels.Connection {
	credential := messenger.PageAccessToken
	if kind == "instagram" {
		credential = messenger.AccessToken
	}
	return channels.Connection{ID: id, Kind: kind, External: external, Credentials: channels.Credentials{
		graph.AppSecret: channels.Secret("secret of " + id), graph.VerifyToken: channels.Secret("word of " + id),
		credential: channels.Secret(token)}}
}

var hello = channels.Outbound{Reference: "r-1", Attempt: 1, To: "6789012345", Text: "Fish & <chips>? 😀",
	Choices: []channels.Choice{{Token: "1.0", Label: "Yes"}, {Token: "1.1", Label: "No"}}}

const template = `"message":{"attachment":{"payload":{"buttons":[{"payload":"1.0","title":"Yes","type":"postback"},` +
	`{"payload":"1.1","title":"No","type":"postback"}],"template_type":"button","text":"Fish \u0026 \u003cchips\u003e? 😀"},` +
	`"type":"template"}}`

func TestMessenger(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return messenger.New(base) },
		Connection: connected("cn-1", "messenger", "1906385232743451", "EAAhush"), Outbound: hello,
		Provider: graphtest.Provider("/v25.0/1906385232743451/messages", "EAAhush",
			`{`+template+`,"messaging_type":"RESPONSE","recipient":{"id":"6789012345"}}`,
			`{"recipient_id":"6789012345","message_id":"m_AG5Hz2"}`, "m_AG5Hz2"),
		Inbound: inbound("messenger", "page", "1906385232743451", "1906385232743452"), Files: graphtest.Files("", ""),
	})
}

func TestInstagram(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return messenger.NewInstagram(base) },
		Connection: connected("cn-1", "instagram", "17841405309211844", "IGAAhush"), Outbound: hello,
		Provider: graphtest.Provider("/v25.0/17841405309211844/messages", "IGAAhush", `{`+template+`,"recipient":{"id":"6789012345"}}`,
			`{"recipient_id":"6789012345","message_id":"aWdfZAG1faXRlbTox"}`, "aWdfZAG1faXRlbTox"),
		Inbound: inbound("instagram", "instagram", "17841405309211844", "17841405309211845"), Files: graphtest.Files("", ""),
	})
}

// asked is where the API is asked, and for what.
func asked(t *testing.T, make func(base string) (*messenger.Messenger, error), do func(m *messenger.Messenger)) (all []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all = append(all, r.URL.Path+" "+string(body))
		_, _ = io.WriteString(w, `{"message_id":"m_1"}`)
	}))
	defer s.Close()
	m, err := make(s.URL)
	require.NoError(t, err)
	do(m)
	return all
}

// Given choices, then three are buttons, more or beside a longer text they are quick replies.
func TestFormsOfChoices(t *testing.T) {
	choices := func(n int) (out []channels.Choice) {
		for i := range n {
			out = append(out, channels.Choice{Token: "1." + string(rune('0'+i)), Label: "Choice"})
		}
		return out
	}
	for name, c := range map[string]struct {
		text    string
		choices int
		want    string
	}{
		"none":       {"hi", 0, `"message":{"text":"hi"}`},
		"three":      {"hi", 3, `"template_type":"button"`},
		"four":       {"hi", 4, `{"content_type":"text","payload":"1.3","title":"Choice"}],"text":"hi"`},
		"beside 640": {strings.Repeat("é", 640), 1, `"template_type":"button"`},
		"beside 641": {strings.Repeat("a", 641), 1, `"quick_replies"`},
	} {
		c1 := connected("cn-1", "messenger", "77", "EAAhush")
		got := asked(t, messenger.New, func(m *messenger.Messenger) {
			out := m.Send(t.Context(), c1, channels.Outbound{Attempt: 1, To: "6789", Text: c.text, Choices: choices(c.choices)})
			require.Equal(t, channels.Taken, out.Status, name)
		})
		require.Len(t, got, 1, name)
		require.Contains(t, got[0], c.want, name)
	}
}

// Given a professional account, then its own token is for one host, and that of its page for another.
// Given any other host, nobody is asked.
func TestWhereAProfessionalAccountIsReached(t *testing.T) {
	c := connected("cn-1", "instagram", "17841", "IGAAhush")
	require.Equal(t, []string{`/v25.0/17841/messages {"message":{"text":"hi"},"recipient":{"id":"6789"}}`,
		`/v25.0/17841/messages {"message":{"text":"hi"},"recipient":{"id":"6789"}}`,
		`/v25.0/me/messages {"message":{"text":"hi"},"recipient":{"id":"6789"}}`},
		asked(t, messenger.NewInstagram, func(m *messenger.Messenger) {
			for _, host := range []channels.Secret{"", "graph.instagram.com", "graph.facebook.com", "10.0.0.1"} {
				c.Credentials[messenger.APIHost] = host
				out := m.Send(t.Context(), c, channels.Outbound{Attempt: 1, To: "6789", Text: "hi"})
				require.Equal(t, host != "10.0.0.1", out.Status == channels.Taken, host)
			}
			require.EqualError(t, m.Check(c), "instagram: apiHost must be graph.instagram.com or graph.facebook.com")
			m.Typing(t.Context(), c, "6789")
		}))
}

// Given somebody who wrote more than 24 hours ago, then what a person answers is sent as that; what an agent does is not. One that nobody
// may send any more, as after seven days, has failed for the first reason.
func TestWhatPeopleAnswerLate(t *testing.T) {
	for name, c := range map[string]struct {
		subcode  string
		byPerson bool
		takes    string
		want     channels.Status
		tries    int
	}{
		"a person, in Messenger": {"2018278", true, "HUMAN_AGENT", channels.Taken, 2},
		"a person, in Instagram": {"2534022", true, "HUMAN_AGENT", channels.Taken, 2},
		"an agent":               {"2018278", false, "HUMAN_AGENT", channels.Refused, 1},
		"after seven days":       {"2018278", true, "nothing", channels.Refused, 2},
		"an app that may not":    {"2018278", true, "", channels.Refused, 2},
	} {
		var asked []string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked = append(asked, string(body))
			late := strings.Contains(string(body), `"messaging_type":"MESSAGE_TAG"`)
			switch {
			case late && strings.Contains(string(body), `"tag":"`+c.takes+`"`):
				_, _ = io.WriteString(w, `{"message_id":"m_1"}`)
				return
			case late && c.takes == "":
				c.subcode = "0"
			}
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"code":10,"error_subcode":`+c.subcode+`}}`)
		}))
		kind, make := "messenger", messenger.New
		if c.subcode == "2534022" {
			kind, make = "instagram", messenger.NewInstagram
		}
		m, err := make(s.URL)
		require.NoError(t, err)
		out := m.Send(t.Context(), connected("cn-1", kind, "77", "EAAhush"), channels.Outbound{Attempt: 1, To: "6789", Text: "hi",
			ByPerson: c.byPerson})
		s.Close()
		require.Equal(t, []any{c.want, c.tries}, []any{out.Status, len(asked)}, name)
		if c.want == channels.Refused {
			require.Equal(t, graph.Late, out.Reason, name)
		}
	}
}

// Given a person who waits, then they see that somebody is about to answer.
func TestTyping(t *testing.T) {
	require.Equal(t, []string{`/v25.0/77/messages {"recipient":{"id":"6789"},"sender_action":"typing_on"}`},
		asked(t, messenger.New, func(m *messenger.Messenger) {
			m.Typing(t.Context(), connected("cn-1", "messenger", "77", "EAAhush"), "6789")
			m.Typing(t.Context(), channels.Connection{External: "77"}, "6789")
		}))
}
