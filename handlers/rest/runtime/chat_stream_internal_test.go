package runtime

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

func happening(all ...event.Payload) (n driving.News) {
	for _, p := range all {
		n.Events = append(n.Events, eventstore.Recorded{Payload: p})
	}
	return n
}

func saying(call, text string) driving.News {
	return driving.News{Deltas: []driving.Delta{{CallID: call, Agent: "host", Text: text}}}
}

// Given what was told of an answer, then it is taken back when it is not what is said, once; and
// what a try that is gone still says is not told.
func TestWhatIsTakenBackOfATurn(t *testing.T) {
	answered := sessions.ModelAnswered{CallID: "c1", Text: "Hi."}
	failed := sessions.ModelAnswered{CallID: "c1", Failed: "TIMEOUT"}
	for name, c := range map[string]struct {
		news []driving.News
		want string
	}{
		"it is said":       {[]driving.News{saying("c1", "Hi."), happening(answered, sessions.Said{Text: "Hi."})}, "delta said"},
		"behind a notice":  {[]driving.News{saying("c1", "Hi."), happening(answered, sessions.Noticed{}, sessions.Said{})}, "delta said"},
		"it is not said":   {[]driving.News{saying("c1", "Hi."), happening(answered, sessions.StepEntered{})}, "delta reset:not_said"},
		"it failed":        {[]driving.News{saying("c1", "Hi."), happening(failed)}, "delta reset:failed"},
		"nothing was told": {[]driving.News{happening(failed), happening(sessions.CallClaimed{CallID: "c1"})}, ""},
		"another took over": {[]driving.News{saying("c1", "Hi."), happening(sessions.CallClaimed{CallID: "c1"}), saying("c1", " there"),
			happening(answered, sessions.Said{})}, "delta reset:taken_over said"},
		"a tool was taken over": {[]driving.News{saying("c1", "Hi."), happening(sessions.CallClaimed{CallID: "c0"})}, "delta"},
		"nothing came":          {[]driving.News{{}}, "heartbeat"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			s := &turnStream{out: OpenEvents(w)}
			for _, n := range c.news {
				require.NoError(t, s.tell(n))
			}
			var told []string
			for _, m := range regexp.MustCompile(`event: (delta|said)|"reason":"(.*?)"|: (heartbeat)`).FindAllStringSubmatch(w.Body.String(), -1) {
				if m[2] != "" {
					m[2] = "reset:" + m[2]
				}
				told = append(told, m[1]+m[2]+m[3])
			}
			require.Equal(t, c.want, strings.Join(told, " "))
		})
	}
}
