package tasks

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
)

func recorded(all ...event.Payload) (out []eventstore.Recorded) {
	for _, p := range all {
		out = append(out, eventstore.Recorded{Payload: p})
	}
	return out
}

// Given an answer with a choice, when the session has said it and the thread has it not yet, then it is not told:
// the thread numbers the choices, and who was told the text before would never see them.
func TestATextIsToldAsTheThreadHasIt(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	heard := threads.Received{Number: 1, Thread: "ctx", Text: "Hi", At: at}
	taken := threads.Taken{Number: 1, SessionID: "s", MessageID: "m", Turn: 1, At: at}
	in := sessions.InTurn{Turn: 1, At: at}
	said := []event.Payload{sessions.MessageReceived{InTurn: in, MessageID: "m"},
		sessions.Said{InTurn: in, MessageID: "a", Text: "Good day."},
		sessions.Said{InTurn: in, MessageID: "b", Text: "Which?", Rich: []sessions.Element{{Kind: "select"}}},
		sessions.TurnEnded{InTurn: in, Action: sessions.Continue, Waits: sessions.Waiting{For: sessions.ForSlot}}}
	first := threads.Queued{Reply: 1, MessageID: "a", Parts: []string{"Good day."}}
	second := threads.Queued{Reply: 2, MessageID: "b", Parts: []string{"Which?\n1. Gas"}}
	for name, c := range map[string]struct {
		thread []event.Payload
		after  time.Duration
		state  a2a.State
		texts  []string
	}{
		"nothing is in the thread":  {nil, time.Second, a2a.Working, nil},
		"the first is":              {[]event.Payload{first}, time.Second, a2a.Working, []string{"Good day."}},
		"the second alone is":       {[]event.Payload{second}, time.Second, a2a.Working, nil},
		"both are":                  {[]event.Payload{first, second}, time.Second, a2a.InputRequired, []string{"Good day.", "Which?\n1. Gas"}},
		"it has taken far too long": {nil, time.Minute, a2a.InputRequired, []string{"Good day.", "Which?"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := reading(Ref{"thread-x", 1}, recorded(append([]event.Payload{heard, taken}, c.thread...)...))
			f.session("s", eventstore.Told[sessions.State]{Events: recorded(said...)}, nil)
			task := f.task(at.Add(c.after))
			var texts []string
			for _, a := range task.Artifacts {
				for _, p := range a.Parts {
					texts = append(texts, p.Text)
				}
			}
			require.Equal(t, c.texts, texts)
			require.Equal(t, c.state, task.Status.State)
		})
	}
}

// Given messages with files, then a task's history shows each file where it can be had, and of one that is nowhere says
// why; there is no text where none was said.
func TestFilesOfAMessageAreInTheHistory(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	heard := threads.Received{Number: 1, Thread: "ctx", At: at, Files: []threads.File{{Name: "dot.png"}, {URL: "https://f.example/gone.pdf"},
		{Name: "page.png"}}}
	fetched := threads.FilesFetched{Number: 1, Files: []threads.Fetched{
		{AttachmentID: "a-1", Name: "dot.png", ContentType: "image/png"}, {Name: "gone.pdf", Reason: "it is not there"},
		{Name: "page.png", ContentType: "image/png", Reason: "it is a page"}}}
	elsewhere := a2a.Part{File: &a2a.File{Name: "gone.pdf", URI: "https://f.example/gone.pdf"}}
	refused := a2a.Part{Text: "(page.png: it is a page)"}
	link := func(id string) string { return "https://parley.example/" + id }
	for name, c := range map[string]struct {
		thread, session []event.Payload
		want            []a2a.Part
	}{
		"a session has it": {[]event.Payload{heard, fetched, threads.Taken{Number: 1, SessionID: "s", MessageID: "m", Turn: 1, At: at}},
			[]event.Payload{sessions.Attached{AttachmentID: "a-1"},
				sessions.MessageReceived{InTurn: sessions.InTurn{Turn: 1, At: at}, MessageID: "m"}},
			[]a2a.Part{{File: &a2a.File{Name: "dot.png", MediaType: "image/png", URI: "https://parley.example/s.a-1"}}, elsewhere, refused}},
		"no session has it": {[]event.Payload{heard, fetched}, nil,
			[]a2a.Part{{Text: "(dot.png: no session has taken it)"}, elsewhere, refused}},
		"all of it was erased": {[]event.Payload{threads.Received{Number: 1, At: at}}, nil, []a2a.Part{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := reading(Ref{"thread-x", 1}, recorded(c.thread...))
			f.session("s", eventstore.Told[sessions.State]{Events: recorded(c.session...)}, link)
			require.Equal(t, c.want, f.task(at).History[0].Parts)
		})
	}
}

// Given messages with data, then a task's history shows each as data, beside the text or without one; of what goes with a
// message otherwise it shows nothing.
func TestDataOfAMessageAreInTheHistory(t *testing.T) {
	order, seven := a2a.Part{Data: json.RawMessage(`{"order":[1,2]}`)}, a2a.Part{Data: json.RawMessage(`7`)}
	for name, c := range map[string]struct {
		text, with string
		want       []a2a.Part
	}{
		"beside a text": {"Hello", `{"data":[{"order":[1,2]},7],"x":1}`, []a2a.Part{{Text: "Hello"}, order, seven}},
		"alone":         {"{\"order\":\n [1, 2]}\n7", `{"data":[{"order":[1,2]},7]}`, []a2a.Part{order, seven}},
		"beside what looks so": {"{\"order\":[1,2]}\n7\n8", `{"data":[{"order":[1,2]},7]}`,
			[]a2a.Part{{Text: "{\"order\":[1,2]}\n7\n8"}, order, seven}},
		"beside one of them":      {"7", `{"data":[7,{"order":[1,2]}]}`, []a2a.Part{{Text: "7"}, seven, order}},
		"none, and other things":  {"7", `{"x":7}`, []a2a.Part{{Text: "7"}}},
		"what is no list of them": {"7", `{"data":7}`, []a2a.Part{{Text: "7"}}},
		"nothing goes with it":    {"7", ``, []a2a.Part{{Text: "7"}}},
	} {
		t.Run(name, func(t *testing.T) {
			heard := threads.Received{Number: 1, Thread: "ctx", Text: c.text, Metadata: json.RawMessage(c.with)}
			require.Equal(t, c.want, reading(Ref{"thread-x", 1}, recorded(heard)).task(time.Time{}).History[0].Parts)
		})
	}
}

// Given a task that is being cancelled, then it is canceled when its turn has been cut off, and not before: who follows it would
// be told so of one that ends by itself in that moment.
func TestATaskIsCanceledWhenItsTurnIs(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	in := sessions.InTurn{Turn: 1, At: at}
	thread := []event.Payload{threads.Received{Number: 1, Thread: "ctx", Text: "Hi", At: at},
		threads.Taken{Number: 1, SessionID: "s", MessageID: "m", Turn: 1, At: at}, threads.Dropped{Number: 1, At: at}}
	runs := []event.Payload{sessions.MessageReceived{InTurn: in, MessageID: "m"}}
	ended := func(action sessions.Action) []event.Payload {
		return append(runs[:1:1], sessions.TurnEnded{InTurn: in, Action: action})
	}
	for name, c := range map[string]struct {
		session []event.Payload
		want    a2a.State
	}{
		"it runs":            {runs, a2a.Working},
		"it was cut off":     {ended(sessions.CutOff), a2a.Canceled},
		"it ended by itself": {ended(sessions.EndAction), a2a.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			f := reading(Ref{"thread-x", 1}, recorded(thread...))
			told := eventstore.Told[sessions.State]{Events: recorded(c.session...)}
			told.State = sessions.Sessions.State(c.session...)
			f.session("s", told, nil)
			require.Equal(t, c.want, f.task(at).Status.State)
		})
	}
}

// Given a task that is cancelled before any session is known to have it, then it is canceled, whatever becomes of its message.
func TestATaskIsCanceledThatNobodyHasBegun(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	in, dropped := sessions.InTurn{Turn: 1, At: at}, at.Add(time.Second)
	for name, after := range map[string][]event.Payload{
		"it waits":         nil,
		"it is left":       {threads.Refused{Number: 1, Code: threads.CodeDropped, At: dropped}},
		"a session has it": {threads.Taken{Number: 1, SessionID: "s", MessageID: "m", Turn: 1, At: dropped}},
	} {
		t.Run(name, func(t *testing.T) {
			f := reading(Ref{"thread-x", 1}, recorded(append([]event.Payload{threads.Received{Number: 1, Thread: "ctx", Text: "Hi", At: at},
				threads.Dropped{Number: 1, At: dropped}}, after...)...))
			said := []event.Payload{sessions.MessageReceived{InTurn: in, MessageID: "m"}}
			for range 2 { // while its turn runs, and when it has ended by itself
				told := eventstore.Told[sessions.State]{Events: recorded(said...)}
				told.State = sessions.Sessions.State(said...)
				f.session("s", told, nil)
				require.Equal(t, a2a.Status{State: a2a.Canceled, At: dropped}, f.task(at).Status)
				said = append(said, sessions.TurnEnded{InTurn: in, Action: sessions.EndAction})
			}
		})
	}
}

// Given a task that people have, when whoever sent it cancels it, then it stays canceled, whatever people say in its conversation,
// the agent goes on with behind them, and its session comes to.
func TestATaskThatIsCancelledWhilePeopleHaveItStaysSo(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	dropped, behind := at.Add(time.Minute), at.Add(time.Hour)
	f := reading(Ref{"thread-x", 1}, recorded(threads.Received{Number: 1, Thread: "ctx", Text: "A person", At: at},
		threads.Taken{Number: 1, SessionID: "s", MessageID: "m", Turn: 1, At: at}, threads.Dropped{Number: 1, At: dropped}))
	in, next := sessions.InTurn{Turn: 1, At: at}, sessions.InTurn{Turn: 2, At: behind}
	said := []event.Payload{sessions.MessageReceived{InTurn: in, MessageID: "m"},
		sessions.Said{InTurn: in, MessageID: "a", Text: "A colleague."}, sessions.TurnEnded{InTurn: in, Action: sessions.ToPeople},
		sessions.PersonSaid{MessageID: "b", Text: "Maria here.", At: behind},
		sessions.GivenBack{InTurn: next}, sessions.Said{InTurn: next, MessageID: "c", Text: "Goodbye."},
		sessions.TurnEnded{InTurn: next, Action: sessions.EndAction}, sessions.SessionEnded{At: behind}}
	f.session("s", eventstore.Told[sessions.State]{Events: recorded(said...)}, nil)
	task := f.task(at.Add(2 * time.Hour))
	require.Equal(t, a2a.Status{State: a2a.Canceled, At: dropped}, task.Status)
	require.Equal(t, []a2a.Artifact{{ID: "answer-1", Name: "answer", Parts: []a2a.Part{{Text: "A colleague."}}}}, task.Artifacts)
}

// Given a session that answers a task between others, when only its newest events are read, then they are enough for the task as
// soon as they hold the task's first message with its files, and the task is the same.
func TestATaskIsReadFromTheEndOfItsSession(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	thread := recorded(
		threads.Received{Number: 1, Thread: "ctx", Text: "Hi", At: at}, threads.Taken{Number: 1, SessionID: "s", MessageID: "m-1", Turn: 1},
		threads.Received{Number: 2, Thread: "ctx", Text: "Look", At: at}, threads.Taken{Number: 2, SessionID: "s", MessageID: "m-2", Turn: 2},
		threads.Received{Number: 3, Thread: "ctx", Text: "And?", Continues: 2, At: at},
		threads.Taken{Number: 3, SessionID: "s", MessageID: "m-3", Turn: 3},
		threads.Received{Number: 4, Thread: "ctx", Text: "Bye", At: at}, threads.Taken{Number: 4, SessionID: "s", MessageID: "m-4", Turn: 4})
	var session []eventstore.Recorded
	turn := func(n int, message, answer string, files ...string) {
		in := sessions.InTurn{Turn: n, At: at.Add(time.Duration(n) * time.Second)}
		for _, id := range files {
			session = append(session, recorded(sessions.Attached{AttachmentID: id, FileName: id})...)
		}
		session = append(session, recorded(sessions.MessageReceived{InTurn: in, MessageID: message, Attachments: files},
			sessions.Said{InTurn: in, MessageID: answer, Text: answer}, sessions.TurnEnded{InTurn: in, Action: sessions.Continue})...)
	}
	turn(1, "m-1", "one")
	turn(2, "m-2", "two", "f-1", "f-2")
	turn(3, "m-3", "three")
	turn(4, "m-4", "four")
	of := func(from int) (*folded, Task) {
		f := reading(Ref{"thread-x", 2}, thread)
		f.session("s", eventstore.Told[sessions.State]{Events: session[from:]}, func(id string) string { return "https://files/" + id })
		return f, f.task(at.Add(time.Minute))
	}
	_, whole := of(0)
	require.Len(t, whole.Artifacts, 2)
	for from := range session {
		f, got := of(from)
		if enough := f.hasBegun("s", session[from:]); from <= 3 {
			require.True(t, enough, from)
			require.Equal(t, whole, got)
		} else {
			require.False(t, enough, from)
		}
	}
}

// Given somebody who was erased, then what was said to them reads as what they said does.
func TestAnErasedAnswerSaysSo(t *testing.T) {
	f := reading(Ref{"thread-x", 1}, recorded(threads.Received{Number: 1, Text: "[erased]"}, threads.Queued{MessageID: "m"},
		threads.Queued{MessageID: "n", Parts: []string{"Good", "day."}}))
	require.Equal(t, map[string]string{"m": "[erased]", "n": "Good\nday."}, f.replies)
}
