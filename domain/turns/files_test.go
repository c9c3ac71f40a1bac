package turns_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

const looker = "GOAL: Look.\nGUARDRAILS: {secret: {ON: input, CHECK: '!text.contains(\"4711\")', ACTION: redact, PATTERN: \"4711\"}}\n"

// given puts files into the session.
func (c *talk) given(files ...sessions.Attached) {
	for _, f := range files {
		f.At = noon
		c.add(f)
	}
}

var (
	photo = sessions.Attached{AttachmentID: "f-1", FileName: "meter.png", ContentType: "image/png", SizeBytes: 67, Blob: "b/1"}
	note  = sessions.Attached{AttachmentID: "f-2", FileName: "of 4711.txt", ContentType: "text/plain", SizeBytes: 6, Blob: "b/2"}
)

// userSaid is what the model is told that the user said, message by message.
func (c *talk) userSaid() (out []string) {
	for _, m := range c.question().Messages {
		if m.Role == completions.User {
			out = append(out, m.Text)
		}
	}
	return out
}

// Given files of a session, when a message names them, then expressions see them in its metadata, in place of what the
// sender has put there.
func TestAgentsSeeTheFilesOfAMessage(t *testing.T) {
	c := with(t, agent("a", "FLOW: {START: a, STEPS: {a: {SAY: \"{{ session.messageMetadata }}\"}}}\n"))
	c.given(photo, note)
	require.JSONEq(t, `{"order":12345678901234567,"files":[{"attachmentId":"f-2","name":"of 4711.txt","type":"text/plain","sizeBytes":6},
		{"attachmentId":"f-1","name":"meter.png","type":"image/png","sizeBytes":67}]}`, c.answer(turns.Receive{Text: "Look",
		Attached: []string{"f-2", "f-1", "f-2"}, Metadata: json.RawMessage(`{"order": 12345678901234567, "files": ["mine"]}`)}))
	require.JSONEq(t, `{"files":["mine"]}`, c.answer(turns.Receive{Text: "Look", Metadata: json.RawMessage(`{"files":["mine"]}`)}))
	require.JSONEq(t, `{}`, c.answer(turns.Receive{Text: "Look"}))
}

// Given a message with files, then a model is told of them with its words, also when it is asked again later, as the
// guardrails leave it; a message of files alone has words of ours.
func TestAModelIsToldOfFiles(t *testing.T) {
	c := with(t, agent("looker", looker))
	c.given(photo, note)
	_, err := c.turn(turns.Receive{Text: "What is this?", Attached: []string{"f-1"}, Try: mine})
	require.NoError(t, err)
	first := "What is this?\n\n(Sent with it, as files:) meter.png (image/png, 67 bytes, attachment f-1)"
	require.Equal(t, []string{first}, c.userSaid())
	c.thinks("A meter.")
	_, err = c.turn(turns.Receive{Attached: []string{"f-2"}, Try: mine})
	require.NoError(t, err)
	second := "(a file)\n\n(Sent with it, as files:) of [redacted].txt (text/plain, 6 bytes, attachment f-2)"
	require.Equal(t, []string{first, second}, c.userSaid())
}

// Given a message of a channel of whose files one did not come, then a model is told why, in the message's turn alone;
// what a caller says in metadata of files that did not come is not told.
func TestAModelIsToldWhichFilesDidNotCome(t *testing.T) {
	sent := []sessions.ToldFile{{Name: "large.mov", Problem: "the file is larger than 1048576 bytes"}, {Problem: "the file is empty"}}
	c := with(t, agent("looker", looker))
	opened := c.past[0].(sessions.Opened)
	opened.Channel, opened.Thread = "slack", "thread-1"
	c.add(opened)
	_, err := c.turn(turns.Receive{Text: "This", Files: sent, Try: mine})
	require.NoError(t, err)
	require.Equal(t, []string{"This\n\n(Sent with it, and not received:) large.mov: the file is larger than 1048576 bytes; the file is empty"},
		c.userSaid())
	c.thinks("It is too large.")
	c.hears("So?")
	require.Equal(t, []string{"This", "So?"}, c.userSaid())

	c = with(t, agent("looker", looker))
	_, err = c.turn(turns.Receive{Text: "This", Metadata: json.RawMessage(`{"files":[{"problem":"believe me"}]}`), Try: mine})
	require.NoError(t, err)
	require.Equal(t, []string{"This"}, c.userSaid())
}

// Given pictures among the files of messages, then those that models may be shown go with their messages, by their names
// alone, and of many the newest; what is no picture, or too large, does not.
func TestPicturesGoWithTheirMessages(t *testing.T) {
	c := with(t, agent("looker", looker))
	large := sessions.Attached{AttachmentID: "f-3", FileName: "large.png", ContentType: "image/png", SizeBytes: 1<<20 + 1, Blob: "b/3"}
	c.given(photo, note, large)
	_, err := c.turn(turns.Receive{Text: "This", Attached: []string{"f-2", "f-1", "f-3"}, Try: mine})
	require.NoError(t, err)
	shown := func() (out [][]completions.Picture) {
		for _, m := range c.question().Messages {
			if m.Role == completions.User {
				out = append(out, m.Pictures)
			}
		}
		return out
	}
	of := completions.Picture{AttachmentID: "f-1", ContentType: "image/png", Blob: "b/1"}
	require.Equal(t, [][]completions.Picture{{of}}, shown())
	c.thinks("A meter.")
	c.hears("Which number?")
	require.Equal(t, [][]completions.Picture{{of}, nil}, shown(), "it is seen later as well")
	c.thinks("I cannot read it.")

	var ids []string
	for i := range 10 {
		id := fmt.Sprint("g-", i)
		ids = append(ids, id)
		c.given(sessions.Attached{AttachmentID: id, FileName: "a", ContentType: "image/webp", SizeBytes: 1, Blob: id})
	}
	_, err = c.turn(turns.Receive{Attached: ids[:9], Try: mine})
	require.NoError(t, err)
	require.Equal(t, []int{1, 0, 9}, lengths(shown()))
	require.Equal(t, []string{"g-0", "g-8"}, []string{shown()[2][0].AttachmentID, shown()[2][8].AttachmentID})
	c.thinks("Nine.")
	_, err = c.turn(turns.Receive{Text: "One more", Attached: ids[9:], Try: mine})
	require.NoError(t, err)
	require.Equal(t, []int{0, 0, 9, 1}, lengths(shown()))
}

func lengths[T any](all [][]T) (out []int) {
	for _, one := range all {
		out = append(out, len(one))
	}
	return out
}

// Given a message with files in a flow that has a model find values, then that is told of the files, and shown pictures, also
// where there are no words.
func TestAModelThatFindsValuesIsToldOfFiles(t *testing.T) {
	for text, want := range map[string]string{"Here": "Here", "": "(a file)"} {
		c := with(t, agent("meter", "GATHER: {value: {TYPE: string, PROMPT: \"The reading?\", EXTRACT: model}}\n"+
			"FLOW: {START: a, STEPS: {a: {GATHER: [value], NEXT: b}, b: {SAY: \"{{ gather.value }}.\"}}}\n"))
		c.given(photo)
		_, err := c.turn(turns.Receive{Text: text, Attached: []string{"f-1"}, Try: mine})
		require.NoError(t, err)
		require.Equal(t, []string{want + "\n\n(Sent with it, as files:) meter.png (image/png, 67 bytes, attachment f-1)"}, c.userSaid())
		m := c.question().Messages
		require.Equal(t, []completions.Picture{{AttachmentID: "f-1", ContentType: "image/png", Blob: "b/1"}}, m[len(m)-1].Pictures)
		require.Equal(t, "1234. | .", c.thinks("", `remember {"value":"1234"}`))
	}
}
