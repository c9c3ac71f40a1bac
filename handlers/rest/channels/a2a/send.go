package a2a

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	protocol "github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/files"
	"github.com/parley-platform/parley/handlers/acts/tasks"
	"github.com/parley-platform/parley/handlers/rest"
)

// send puts a message on the thread of its context: when it returns, nothing of it is lost any more.
func (x API) send(ctx context.Context, a asked) (s protocol.Sending, ref tasks.Ref, err error) {
	s, refusal := a.version.ReadSending(a.params)
	if refusal != nil {
		return s, ref, refusal
	}
	if !s.TakesText() {
		return s, ref, protocol.Refuse(protocol.ContentType, "the agent answers text/plain, which acceptedOutputModes does not have")
	}
	if s.Push != nil {
		if err := x.checkPush(*s.Push); err != nil {
			return s, ref, err
		}
	}
	c := connectionOf(ctx)
	cmd, err := received(s.Message)
	if err != nil {
		return s, ref, err
	}
	cmd.TenantID, cmd.ProjectID, cmd.ConnectionID, cmd.Kind, cmd.At = c.TenantID, c.ProjectID, c.ConnectionID, c.Kind, x.Now()
	by := x.by(ctx, "message/"+s.Message.ID)
	cmd.Entry.From = rest.PrincipalOf(ctx).Actor()
	stream, err := x.thread(ctx, s.Message, &cmd, by)
	if err != nil {
		return s, ref, err
	}
	if cmd.Brought, err = x.bring(ctx, s.Message, stream, by, cmd); err != nil {
		return s, ref, err
	}
	res, err := acts.Execute(ctx, x.Log, by, threads.Threads, stream, cmd.Decide)
	if err != nil {
		files.Discard(context.WithoutCancel(ctx), x.Blobs, cmd.Brought, err)
		return s, ref, err
	}
	x.Counts.Received(c.Kind)
	made, err := rest.Payload[threads.Received](res)
	if err != nil {
		return s, ref, err
	}
	ref = tasks.Ref{Thread: stream, Number: made.Begins()}
	if s.Push != nil {
		_, err = x.tell(ctx, a.version, ref, *s.Push)
	}
	return s, ref, err
}

// by is whoever calls, with what a repeat is known by.
func (x API) by(ctx context.Context, what string) acts.Caller {
	by := x.Caller(ctx)
	by.Project, by.RequestHash, by.PlainHash, by.Early = connectionOf(ctx).ProjectID, "", "", false
	by.RequestID = eventstore.CauseID("a2a", connectionOf(ctx).ConnectionID, what)
	return by
}

// thread is the stream of a message's context, which its task may name as well. A context that nobody
// named is made of the message, so that a repeat comes to the same.
func (x API) thread(ctx context.Context, m protocol.Message, cmd *threads.Receive, by acts.Caller) (string, error) {
	cmd.Entry.Thread = m.ContextID
	if m.TaskID != "" {
		task, err := x.task(ctx, m.TaskID)
		if err != nil {
			return "", err
		}
		if m.ContextID != "" && m.ContextID != task.ContextID {
			return "", protocol.Fault("message.contextId", "is not that of the task")
		}
		cmd.Entry.Thread, cmd.Continues = task.ContextID, task.Number
		if task.Status.State.Terminal() {
			if _, is, err := x.repeated(ctx, by, task.Thread); err != nil || !is {
				ended := protocol.Refuse(protocol.Unsupported, "the task is %s and cannot be continued: begin another", task.Status.State)
				return "", cmp.Or[error](err, ended)
			}
		}
	}
	if cmd.Entry.Thread == "" {
		cmd.Entry.Thread = uuid.NewSHA1(uuid.NameSpaceOID, []byte(by.RequestID)).String()
	}
	return threads.Stream(x.MAC, cmd.TenantID, cmd.ConnectionID, cmd.Entry.Thread), nil
}

// repeated is whether the message is on the thread already.
func (x API) repeated(ctx context.Context, by acts.Caller, stream string) (res eventstore.Result[threads.State], is bool, err error) {
	res, err = acts.Earlier(ctx, x.Log, by, threads.Threads, stream)
	return res, err == nil && res.Replayed, err
}

// received is what a message says, as a thread takes it.
func received(m protocol.Message) (cmd threads.Receive, err error) {
	var texts, data []string
	for _, p := range m.Parts {
		switch {
		case p.File != nil:
			cmd.Entry.Files = append(cmd.Entry.Files, fileOf(p.File))
		case p.Data != nil:
			data = append(data, string(p.Data))
		case strings.TrimSpace(p.Text) != "":
			texts = append(texts, p.Text)
		}
	}
	cmd.Entry.ExternalID, cmd.Entry.Text = m.ID, strings.Join(texts, "\n")
	if len(texts) == 0 {
		cmd.Entry.Text = strings.Join(data, "\n")
	}
	switch {
	case cmd.Entry.Text == "" && len(cmd.Entry.Files) == 0:
		return cmd, protocol.Fault("message.parts", "say nothing")
	case utf8.RuneCountInString(cmd.Entry.Text) > turns.LongestText:
		return cmd, protocol.Fault("message.parts", "may have at most %d characters of text", turns.LongestText)
	}
	if cmd.Metadata, err = metadataOf(m, data); err != nil {
		return cmd, err
	}
	cmd.Before, err = historyOf(m)
	return cmd, err
}

type given struct {
	Metadata json.RawMessage `json:"messageMetadata"`
	History  json.RawMessage `json:"history"`
	Hops     json.RawMessage `json:"agentHops"` // turns.HopsMember
}

func givenWith(m protocol.Message) (out given) {
	if m.Metadata != nil {
		_ = json.Unmarshal(m.Metadata, &out) // an object, which it is
	}
	return out
}

// hopsOf is how many agents have passed a message on; a message that too many have is refused, so that agents who ask each other
// do not for ever. Who counts otherwise is not held to it.
func hopsOf(m protocol.Message) (hops int, err error) {
	if json.Unmarshal(givenWith(m).Hops, &hops) != nil || hops < 0 {
		return 0, nil
	}
	if hops > turns.MostHops {
		return 0, protocol.Refuse(protocol.Unsupported, "more than %d agents have passed the message on: they ask each other",
			turns.MostHops)
	}
	return hops, nil
}

// metadataOf is what goes with the turn alone: messageMetadata, the data parts as `data`, and by how many agents it came.
func metadataOf(m protocol.Message, data []string) (json.RawMessage, error) {
	raw := givenWith(m).Metadata
	if raw != nil && string(raw) != "null" {
		if problem := attached.TurnProblem(raw); problem != "" {
			return nil, protocol.Fault("message.metadata.messageMetadata", "%s", problem)
		}
	} else {
		raw = nil
	}
	hops, err := hopsOf(m)
	if err != nil || len(data) == 0 && hops == 0 {
		return raw, err
	}
	all := map[string]json.RawMessage{}
	if raw != nil {
		_ = json.Unmarshal(raw, &all)
	}
	if len(data) > 0 {
		all["data"] = json.RawMessage("[" + strings.Join(data, ",") + "]")
	}
	if hops > 0 {
		all[turns.HopsMember] = json.RawMessage(strconv.Itoa(hops))
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(all); err != nil {
		return nil, fmt.Errorf("encoding what goes with a message: %w", err)
	}
	whole := json.RawMessage(bytes.TrimSpace(out.Bytes()))
	if problem := attached.TurnProblem(whole); problem != "" {
		return nil, protocol.Fault("message.parts", "have data that with messageMetadata %s", problem)
	}
	return whole, nil
}

// historyOf is what was said elsewhere before the conversation was handed over.
func historyOf(m protocol.Message) (out []sessions.Forwarded, err error) {
	const field = "message.metadata.history"
	raw := givenWith(m).History
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	var all []struct {
		Role    string `json:"role"`
		Name    string `json:"name"`
		Content string `json:"content"`
		Parts   []struct {
			Text string `json:"text"`
		} `json:"parts"`
	}
	if json.Unmarshal(raw, &all) != nil {
		return nil, protocol.Fault(field, "must be a list of {role, content} or of messages")
	}
	bytes := 0
	for i := len(all) - 1; i >= 0 && len(out) < sessions.MostLines; i-- {
		line := sessions.Forwarded{Text: all[i].Content}
		for _, p := range all[i].Parts {
			line.Text = strings.TrimSpace(line.Text + "\n" + p.Text)
		}
		switch strings.ToLower(all[i].Role) {
		case "user", "role_user":
		case "agent", "assistant", "role_agent":
			if line.Agent = all[i].Name; line.Agent == "" {
				line.Agent = "agent"
			}
		default:
			return nil, protocol.Fault(fmt.Sprintf("%s[%d].role", field, i), "must be user or agent")
		}
		if bytes += len(line.Text); bytes > sessions.MostLineBytes {
			break // the oldest are left out, as they would be anyway
		}
		if line.Text != "" {
			out = append([]sessions.Forwarded{line}, out...)
		}
	}
	return out, nil
}

// waitFor is how long somebody waits for a task to rest; then it is answered as it stands.
const waitFor = 5 * time.Minute

// say sends a message, and answers with its task: as it is, or when it rests.
func (x API) say(ctx context.Context, a asked) (any, error) {
	s, ref, err := x.send(ctx, a)
	if err != nil {
		return nil, err
	}
	if !s.Wait {
		task, err := x.Tasks.Read(ctx, ref)
		return a.version.Answer(cut(task.Task, s.History)), err
	}
	long := rest.LongAnswerOf(ctx)
	long.MayTakeLong()
	here, cancel := context.WithTimeout(ctx, waitFor)
	defer cancel()
	defer long.EndsWithNode(cancel)()
	var task *tasks.Task
	err = x.Tasks.Watch(here, ref, waitFor, func(t *tasks.Task) (bool, error) {
		if t != nil {
			task = t
		}
		return t != nil && t.Rests(), nil
	})
	if err != nil && (task == nil || here.Err() == nil) {
		return nil, err
	}
	return a.version.Answer(cut(task.Task, s.History)), nil
}

// cut leaves so many messages of a task's history; nil: all.
func cut(t protocol.Task, most *int) protocol.Task {
	if most != nil && *most < len(t.History) {
		t.History = t.History[len(t.History)-*most:]
	}
	return t
}

// task is one of the connection, else there is none.
func (x API) task(ctx context.Context, id string) (tasks.Task, error) {
	ref, ok := tasks.RefOf(id)
	if !ok {
		return tasks.Task{}, tasks.Unknown()
	}
	task, err := x.Tasks.Read(ctx, ref)
	if err != nil {
		return task, err
	}
	c := connectionOf(ctx)
	if task.TenantID != c.TenantID || task.ConnectionID != c.ConnectionID {
		return tasks.Task{}, fault.New(fault.NotFound, "there is no such task")
	}
	return task, nil
}
