//go:build !apache

package node_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/fault"
)

// Given a call over a trunk whose flow is recorded, when it is over, then it is shown with what was said and how
// it sounded, drawn, and played, whole and in part. It is another account's, or another bot's, for nobody.
func TestACallIsShownDrawnAndPlayed(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, overSIP(t))
	w.one.apply(t, "Project", "p-2", "Another bot", nil)
	w.one.apply(t, "ExperienceFlow", "cf-main", "main", fields{"projectId": mainApp, "number": callCaller, "agentName": "greeter",
		"language": "en-US", "recording": true})
	callee := SIPp(t, Scenario(Reply(180, "Ringing"), Pause(300), ReplySDP(200, "OK", Sound("[rtpstream_audio_port]")), ACK,
		Plays(File(t, Spoken(t, "en-us", "Hello, speaking.", 400))), BYE, ReplyOK), 1, "-aa")
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": fmt.Sprintf("%s:%d", Host, callee.Port), "optionsSeconds": 0})
	id := w.dialOut(t, aCall().and(fields{"trunk": "carrier"})).CallID
	path := "/api/v1/projects/" + mainApp + "/interactions/" + id
	var got struct {
		ConversationID, Status string
		Timeline               []struct{ At, Kind, Who, Text string }
		Sound                  struct {
			ReceivedPackets int
			Levels          struct{ Heard, Said []int }
		}
		Recording *struct {
			DurationMs, SizeBytes int64
			SHA256                string
		}
	}
	until(t, "what the agent says to be heard", func() bool {
		return strings.Contains(w.ask(t, "GET", path, nil).must(t, 200).Text, `"kind":"played"`)
	})
	w.hangsUp(t, id)
	until(t, "the recording", func() bool {
		w.ask(t, "GET", path, nil).must(t, 200).into(t, &got)
		return got.Recording != nil
	})
	callee.Satisfied()

	require.Equal(t, []string{id, "completed"}, []string{got.ConversationID, got.Status})
	var kinds, said []string
	for _, e := range got.Timeline {
		kinds = append(kinds, e.Kind)
		if e.Kind == "said" {
			said = append(said, e.Text)
		}
	}
	require.Subset(t, kinds, []string{"requested", "attempt-started", "ringing", "answered", "said", "completed", "recorded"})
	require.Equal(t, []string{callGreeting}, said)
	require.Positive(t, got.Sound.ReceivedPackets)
	require.NotEmpty(t, got.Sound.Levels.Heard)
	require.Len(t, got.Sound.Levels.Said, len(got.Sound.Levels.Heard))

	drawn := w.ask(t, "GET", path+"/timeline.svg", nil).must(t, 200)
	require.Equal(t, "image/svg+xml", drawn.Header.Get("Content-Type"))
	require.NoError(t, xml.Unmarshal([]byte(drawn.Text), new(struct{})))
	require.Contains(t, drawn.Text, callGreeting)

	whole := w.ask(t, "GET", path+"/recording", nil).must(t, 200)
	require.Equal(t, "audio/wav", whole.Header.Get("Content-Type"))
	require.Len(t, whole.Text, int(got.Recording.SizeBytes))
	require.Equal(t, "RIFF", whole.Text[:4])
	require.NotEmpty(t, strings.Trim(whole.Text[44:], "\x00"), "it is not silent")
	require.Equal(t, whole.Text[44:100], w.ask(t, "GET", path+"/recording", nil, "Range", "bytes=44-99").must(t, 206).Text)

	elsewhere := w.two.token(t)
	for _, what := range []string{"", "/timeline.svg", "/recording"} {
		w.do(t, "GET", path+what, nil, "auth", elsewhere).refused(t, 404, fault.NotFound)
		w.ask(t, "GET", strings.Replace(path, mainApp, "p-2", 1)+what, nil).refused(t, 404, fault.NotFound)
		w.ask(t, "GET", strings.Replace(path, id, "nobody", 1)+what, nil).refused(t, 404, fault.NotFound)
		w.do(t, "GET", path+what, nil).refused(t, 401, fault.Unauthorized)
	}
}
