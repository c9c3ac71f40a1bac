package line_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/line"
	"github.com/parley-platform/parley/domain/channels"
)

var (
	connection = channels.Connection{ID: "cn-1", TenantID: "acme", Kind: "line", External: "Ubot", Credentials: channels.Credentials{
		line.ChannelSecret: "a secret of these tests", line.ChannelAccessToken: "hush-token"}}
	another = channels.Connection{ID: "cn-2", TenantID: "other", Kind: "line", External: "Uother", Credentials: channels.Credentials{
		line.ChannelSecret: "another secret", line.ChannelAccessToken: "another-token"}}
	hello = channels.Outbound{Reference: "r-1", Attempt: 1, To: "U4af4980629", Text: "Fish & <chips>? 😀",
		Choices: []channels.Choice{{Token: "1.0", Label: "Yes"}}}
)

const sent = `{"messages":[{"altText":"Fish \u0026 \u003cchips\u003e? 😀","template":{"actions":[{"data":"1.0","displayText":"Yes",` +
	`"label":"Yes","type":"postback"}],"text":"Fish \u0026 \u003cchips\u003e? 😀","type":"buttons"},"type":"template"}],"to":"U4af4980629"}`

func problem(r *http.Request, body []byte) string {
	switch {
	case r.Method != http.MethodPost || r.URL.String() != "/v2/bot/message/push":
		return r.Method + " " + r.URL.String()
	case r.Header.Get("Authorization") != "Bearer hush-token":
		return "the credentials"
	case r.Header.Get("Content-Type") != "application/json":
		return "the content type"
	case len(key(r, nil)) != 36:
		return "the key"
	case string(body) != sent:
		return string(body)
	}
	return ""
}

func key(r *http.Request, _ []byte) string { return r.Header.Get("X-Line-Retry-Key") }

func fails(status int, body string, as channels.Status, code, reason string) channelstest.Case {
	return channelstest.Case{Reply: channelstest.Reply{Status: status, Body: body},
		Want: channels.Outcome{Status: as, Code: code, Reason: reason}}
}

func took(status int, header map[string]string, body, id string) channelstest.Case {
	return channelstest.Case{Reply: channelstest.Reply{Status: status, Header: header, Body: body},
		Want: channels.Outcome{Status: channels.Taken, ProviderMessageID: id}}
}

func TestLINE(t *testing.T) {
	const repeat = `{"message":"The retry key is already accepted"`
	channelstest.Run(t, channelstest.Suite{
		New:        func(base string) (channelstest.Adapter, error) { return line.New(base) },
		Connection: connection, Outbound: hello,
		Provider: &channelstest.Provider{Problem: problem, Key: key,
			Taken: took(200, nil, `{"sentMessages":[{"id":"461230966842064897","quoteToken":"IStG5h1Tz7b"}]}`, "461230966842064897"),
			Final: fails(400, `{"message":"The property, 'to', in the request body is invalid"}`, channels.Refused, "HTTP_400",
				"LINE refused the message"),
			Limited: channelstest.Reply{Status: 429, Body: `{"message":"The API rate limit has been exceeded. Try again later."}`},
			Denied: fails(401, `{"message":"Authentication failed"}`, channels.NotTaken, "HTTP_401",
				"LINE does not accept the credentials").Denies(),
			Others: map[string]channelstest.Case{
				"a repeat": took(409, map[string]string{"X-Line-Accepted-Request-Id": "123e4567-e89b"}, repeat+`}`, "123e4567-e89b"),
				"a repeat of what has an id": took(409, map[string]string{"X-Line-Accepted-Request-Id": "123e4567-e89b"},
					repeat+`,"sentMessages":[{"id":"46123"}]}`, "46123"),
				"a conflict of another kind": fails(409, `{"message":"x"}`, channels.Unknown, "", "LINE does not say what it did"),
				"a plan without this": fails(403, `{"message":"Access to this API is not available for your account"}`, channels.NotTaken,
					"HTTP_403", "LINE does not accept the credentials").Denies(),
				"a fault of its": fails(500, `{"message":"Internal server error"}`, channels.Unknown, "", "LINE does not say what it did"),
				"an empty list":  fails(200, `{"sentMessages":[]}`, channels.Unknown, "", "LINE does not say what it did"),
			},
		},
		Inbound: inbound,
		Files: &channelstest.Files{Problem: contentProblem, Fixed: "the address is made of the id",
			File: func(string) channels.File { return channels.File{ID: "3258", ContentType: "image/*"} }},
	})
}

func contentProblem(r *http.Request) string {
	switch {
	case r.Method != http.MethodGet || r.URL.String() != "/v2/bot/message/3258/content":
		return r.Method + " " + r.URL.String()
	case r.Header.Get("Authorization") != "Bearer hush-token":
		return "the credentials"
	}
	return ""
}

// asked is what LINE is asked, where answer says what it answers by the path; without, it takes all.
func asked(t *testing.T, answer map[string]channelstest.Reply, do func(l *line.Line)) (all []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		key := ""
		if r.Header.Get("X-Line-Retry-Key") != "" {
			key = " with a key"
		}
		all = append(all, strings.TrimPrefix(r.URL.Path, "/v2/bot/")+key+" "+string(body))
		if reply, is := answer[r.URL.Path]; is {
			w.WriteHeader(reply.Status)
			_, _ = io.WriteString(w, reply.Body)
			return
		}
		_, _ = io.WriteString(w, `{"sentMessages":[{"id":"46"}]}`)
	}))
	defer s.Close()
	l, err := line.New(s.URL)
	require.NoError(t, err)
	do(l)
	return all
}

// Given a token to answer by, then the first attempt answers by it; where it is none any more, and in
// later attempts, the message is pushed. What LINE may have taken is in doubt.
func TestAnAnswerCostsNothingWhereThereIsAToken(t *testing.T) {
	const (
		replied  = `message/reply {"messages":[{"text":"hi","type":"text"}],"replyToken":"tok"}`
		pushed   = `message/push with a key {"messages":[{"text":"hi","type":"text"}],"to":"U1"}`
		byTokens = "/v2/bot/message/reply"
	)
	for name, c := range map[string]struct {
		attempt int
		answer  channelstest.Reply
		want    []string
		status  channels.Status
	}{
		"the first time": {1, channelstest.Reply{Status: 200, Body: `{"sentMessages":[{"id":"46"}]}`}, []string{replied}, channels.Taken},
		"a token that went": {1, channelstest.Reply{Status: 400, Body: `{"message":"Invalid reply token"}`}, []string{replied, pushed},
			channels.Taken},
		"a later attempt": {2, channelstest.Reply{Status: 200}, []string{pushed}, channels.Taken},
		"a wrong message": {1, channelstest.Reply{Status: 400, Body: `{"message":"A message (messages[0]) is invalid"}`}, []string{replied},
			channels.Refused},
		"a fault of LINE's": {1, channelstest.Reply{Status: 500, Body: `{}`}, []string{replied}, channels.Unknown},
		"too many requests": {1, channelstest.Reply{Status: 429, Body: `{}`}, []string{replied}, channels.NotTaken},
	} {
		got := asked(t, map[string]channelstest.Reply{byTokens: c.answer}, func(l *line.Line) {
			out := l.Send(t.Context(), connection, channels.Outbound{Reference: "r", Attempt: c.attempt, To: "U1 tok", Text: "hi"})
			require.Equal(t, c.status, out.Status, name)
		})
		require.Equal(t, c.want, got, name)
	}
}

// Given choices, then four are buttons beside a short text, else they are quick replies.
func TestFormsOfChoices(t *testing.T) {
	choices := func(n int) (out []channels.Choice) {
		for range n {
			out = append(out, channels.Choice{Token: "1.0", Label: "Choice"})
		}
		return out
	}
	for name, c := range map[string]struct {
		text    string
		choices int
		want    string
	}{
		"none": {"hi", 0, `[{"text":"hi","type":"text"}]`},
		"four": {"hi", 4, `"type":"buttons"`},
		"five": {"hi", 5, `"quickReply":{"items":[{"action":{"data":"1.0","displayText":"Choice","label":"Choice","type":"postback"},` +
			`"type":"action"}`},
		"beside 160": {strings.Repeat("😀", 80), 1, `"type":"buttons"`},
		"beside 161": {strings.Repeat("😀", 80) + "a", 1, `"quickReply"`},
	} {
		got := asked(t, nil, func(l *line.Line) {
			l.Send(t.Context(), connection, channels.Outbound{Reference: "r", Attempt: 1, To: "U1", Text: c.text, Choices: choices(c.choices)})
		})
		require.Len(t, got, 1, name)
		require.Contains(t, got[0], c.want, name)
	}
}

// Given one person who waits alone, then they see that somebody is about to answer.
func TestTyping(t *testing.T) {
	require.Equal(t, []string{`chat/loading/start {"chatId":"U1","loadingSeconds":20}`}, asked(t, nil, func(l *line.Line) {
		l.Typing(t.Context(), connection, "U1 tok")
		l.Typing(t.Context(), connection, "C1 tok")
		l.Typing(t.Context(), channels.Connection{}, "U1 tok")
	}))
}
