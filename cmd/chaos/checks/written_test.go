package checks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/threads"
)

// aConversation is of two messages, each answered once.
func aConversation(stream string) (all []line) {
	add := func(p event.Payload) { all = append(all, line{threads.Threads.Category, stream, p}) }
	for n, text := range []string{"a", "b"} {
		add(threads.Received{Number: n + 1, ConnectionID: "cn-chaos-slack", TenantID: tenant, Kind: "slack", ReplyTo: "D1", Text: text})
		add(threads.Taken{Number: n + 1, SessionID: "s"})
		add(threads.Queued{Reply: n + 1, Parts: []string{load.Heard(text)}, Messages: 1, SessionID: "s", MessageID: text})
		add(threads.Started{Reply: n + 1, Attempt: 1, ID: "x"})
		add(threads.PartSent{Reply: n + 1, Last: true})
	}
	return all
}

func TestWritten(t *testing.T) {
	v := keys(t)
	w := load.Writer{Kind: "slack", To: "D1", Thread: "T:D1:U1", Sent: []string{"a", "b"}}
	stream := threads.Stream(v.MAC, tenant, w.Connection(), w.Thread)
	a, b := load.Heard("a"), load.Heard("b")
	for name, c := range map[string]struct {
		change func([]line) []line
		took   []string
		fits   bool
	}{
		"each once":                                   {nil, []string{a, b}, true},
		"a message is lost":                           {func(l []line) []line { return l[:5] }, []string{a}, false},
		"a message is there twice":                    {func(l []line) []line { return append(l, l[5]) }, []string{a, b}, false},
		"no reply is queued":                          {func(l []line) []line { return l[:7] }, []string{a}, false},
		"a reply is on its way":                       {func(l []line) []line { return l[:9] }, []string{a, b}, false},
		"a reply is tried that is not there":          {func(l []line) []line { return append(l[:2:2], l[3:]...) }, []string{a, b}, false},
		"a reply is taken twice":                      {func(l []line) []line { return append(l, l[9]) }, []string{a, b}, false},
		"the provider took none":                      {nil, []string{a}, false},
		"the provider took them turned":               {nil, []string{b, a}, false},
		"the provider took one twice, in one attempt": {nil, []string{a, a, b}, false},
		"the provider took one twice, in two attempts": {func(l []line) []line {
			return append(l[:4:4], append([]line{{threads.Threads.Category, stream, threads.Started{Reply: 1, Attempt: 2, ID: "y"}}}, l[4:]...)...)
		}, []string{a, a, b}, true},
		"nobody wrote": {func([]line) []line { return nil }, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			log, lines := newLog(t), aConversation(stream)
			if c.change != nil {
				lines = c.change(lines)
			}
			for _, l := range lines {
				log.add(l.category, l.stream, "", l.payload)
			}
			var out Findings
			Written(log.f, []load.Writer{w}, func(load.Writer) []string { return c.took }, v.MAC, tenant, &out)
			require.Equal(t, c.fits, out.OK(), "%v", out.Problems)
		})
	}
}

// Where an attempt in doubt is given up, a reply was taken once, or has failed.
func TestWrittenOnce(t *testing.T) {
	v := keys(t)
	w := load.Writer{Kind: "twilio_sms", To: "+1", Thread: "+15550188:+1", Sent: []string{"a", "b"}}
	stream := threads.Stream(v.MAC, tenant, w.Connection(), w.Thread)
	a, b := load.Heard("a"), load.Heard("b")
	fails := func(l []line) []line {
		l[4].payload = threads.Failed{Reply: 1, SessionID: "s", Code: "OUTCOME_UNKNOWN"}
		return l
	}
	for name, c := range map[string]struct {
		change func([]line) []line
		took   []string
		fits   bool
	}{
		"each once":                           {nil, []string{a, b}, true},
		"one has failed":                      {fails, []string{b}, true},
		"one has failed, and was taken":       {fails, []string{a, b}, true},
		"one was taken twice":                 {nil, []string{a, a, b}, false},
		"one was noted, and nobody has it":    {nil, []string{b}, false},
		"they were taken turned":              {nil, []string{b, a}, false},
		"one has neither failed nor was sent": {func(l []line) []line { return l[:9] }, []string{a, b}, false},
	} {
		t.Run(name, func(t *testing.T) {
			log, lines := newLog(t), aConversation(stream)
			if c.change != nil {
				lines = c.change(lines)
			}
			for _, l := range lines {
				log.add(l.category, l.stream, "", l.payload)
			}
			var out Findings
			Written(log.f, []load.Writer{w}, func(load.Writer) []string { return c.took }, v.MAC, tenant, &out)
			require.Equal(t, c.fits, out.OK(), "%v", out.Problems)
		})
	}
}
