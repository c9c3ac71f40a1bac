//go:build !apache

package node_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/deepgram"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/cmd/parley/node"
)

// newRecogniser speaks as Deepgram does, and hears a text in the first second of any sound.
func newRecogniser(t *testing.T, text string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		ctx := context.WithoutCancel(r.Context())
		for heard, told := 0, false; ; {
			kind, content, err := conn.Read(ctx)
			if err != nil {
				return
			}
			if kind == websocket.MessageBinary {
				heard += len(content)
			}
			if heard >= 8_000 && !told {
				told = true
				_ = conn.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"type":"Results","channel_index":[0,1],"duration":1.0,"start":0.0,`+
					`"is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":%q,"confidence":0.9,"words":[]}]}}`, text))
			}
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// Given a mailbox over a trunk whose greeting is shorter than any threshold, when a recogniser hears what only mailboxes say, then the hint
// decides, and the call shows it beside its levels, as members and drawn.
func TestAHintThatARecogniserHeardIsShown(t *testing.T) {
	t.Parallel()
	text := "Tom here, please leave a message"
	recogniser := newRecogniser(t, text)
	w := newCallWorld(t, overSIP(t), func(c *node.Config) {
		c.Providers.Speech.Recogniser, c.Providers.Speech.Deepgram = deepgram.Provider, deepgram.Config{APIKey: "dg-test", BaseURL: recogniser}
	})
	callee := SIPp(t, Scenario(ReplySDP(200, "OK", Sound("[rtpstream_audio_port]")), ACK,
		Plays(File(t, Spoken(t, "en-us", "Tom here, please leave a message.", 200))), BYE, ReplyOK), 1, "-aa")
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": fmt.Sprintf("%s:%d", Host, callee.Port), "optionsSeconds": 0})
	id := w.dialOut(t, aCall().and(fields{"trunk": "carrier", "machineDetection": "detect"})).CallID
	path := "/api/v1/projects/" + mainApp + "/interactions/" + id
	until(t, "who answered to be found out", func() bool {
		return strings.Contains(w.ask(t, "GET", path, nil).must(t, 200).Text, "amd-detected")
	})
	w.hangsUp(t, id)
	w.ended(t, id)
	callee.Satisfied()

	var got struct {
		Timeline []struct{ Kind, Who, Text, Detail string }
		Sound    struct{ Levels struct{ Heard []int } }
	}
	until(t, "the levels", func() bool {
		w.ask(t, "GET", path, nil).must(t, 200).into(t, &got)
		return len(got.Sound.Levels.Heard) > 0
	})
	var decided []string
	for _, e := range got.Timeline {
		if e.Kind == "amd-detected" {
			decided = append(decided, e.Who+" "+e.Detail+" "+e.Text)
		}
	}
	require.Contains(t, decided, "detection amd_machine_detected: hint leave a message")
	require.Contains(t, w.ask(t, "GET", path+"/timeline.svg", nil).must(t, 200).Text, "amd_machine_detected: hint · leave a message")
}
