// Package replays has the operations that decide a recorded session again, and that make a case
// of a test suite of one.
//
// Both read the session's stream and the sources of agents. They write nothing and ask nobody.
package replays

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/replays"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

// API is what the operations need.
type API struct {
	Chat   runtime.ChatAPI
	Agents agentReader
}

// agentReader knows the sources of agents.
type agentReader interface {
	Named(ctx context.Context, tenant, project, name string) ([]models.Agent, error)
	Version(ctx context.Context, tenant, project, id string, version int) (models.AgentVersion, bool, error)
}

const (
	sessionPath = "/api/projects/{projectId}/sessions/{id}"
	workingCopy = "working-copy"
)

// Declare adds them.
func Declare(api *rest.API, x API) {
	need := access.Needs(access.PermSessionRead)
	refusals := []fault.Code{fault.Conflict, fault.Forbidden, fault.Gone, fault.Unavailable}
	rest.Declare(api, rest.Operation{
		ID: "replay-session", Method: http.MethodPost, Path: sessionPath + "/replay", Tags: []string{"Sessions"}, Extension: true, Reads: true,
		Summary: "Decide the turns of a session again",
		Description: "By the sources that it went by, which must come to the events that stand on the log; or by other versions of them, up " +
			"to the first difference. Messages, what tools and models answered, and all times are taken from the log: nothing is asked, and " +
			"nothing is written. It needs personal:read as well.",
		Requirement: need, Resolve: x.Chat.SessionOfPath(), Refusals: refusals,
	}, x.replay)
	rest.Declare(api, rest.Operation{
		ID: "record-session", Method: http.MethodGet, Path: sessionPath + "/testcase", Tags: []string{"Sessions"}, Extension: true,
		Summary: "Make a case of a test suite of a session",
		Description: "What the user said since the last reset, with what was said to it as what is expected, and what tools answered as mocks. " +
			"`suite` is the spec of a manifest of kind TestSuite; `notes` say what of the session a case cannot have, `played` whether the " +
			"case comes to the same by the sources that the session went by. It needs personal:read as well.",
		Requirement: need, Resolve: x.Chat.SessionOfPath(), Refusals: refusals,
	}, x.record)
}

type replayIn struct {
	runtime.SessionPath
	Body *struct { // absent: all by what the session went by
		Version  string            `json:"version,omitempty" maxLength:"32" doc:"Of the agent that the session began with: a number, or working-copy." example:"3"`
		Versions map[string]string `json:"versions,omitempty" doc:"Of agents by their names; of others it is what the session went by."`
	}
}

// ReplayedEvent is an event as it stands on the log, or would.
type ReplayedEvent struct {
	Type string          `json:"type" example:"said"`
	Data jsontext.Object `json:"data"`
}

// ReplayDifference is the first thing that is not as it was recorded.
type ReplayDifference struct {
	Turn      int            `json:"turn"`
	AgentName string         `json:"agentName" doc:"Where the conversation stood before it."`
	Step      string         `json:"step"`
	Input     string         `json:"input" doc:"What was decided on, in words."`
	Expected  *ReplayedEvent `json:"expected,omitempty" doc:"Absent: nothing more was recorded."`
	Got       *ReplayedEvent `json:"got,omitempty" doc:"Absent: nothing more was decided."`
	Refused   string         `json:"refused,omitempty" doc:"In place of got: why nothing was decided."`
}

// Replay is how a session was decided again.
type Replay struct {
	Same       bool              `json:"same"`
	Turns      int               `json:"turns" doc:"That were decided again."`
	Decisions  int               `json:"decisions" doc:"In them: for messages, and for what came of calls."`
	Passed     int               `json:"passed" doc:"Decisions that could not be made again; they are taken as they were."`
	Versions   map[string]string `json:"versions" doc:"By which they were decided, of each agent."`
	Difference *ReplayDifference `json:"difference,omitempty" doc:"The first one; absent: there is none."`
}

type replayOut struct {
	Body struct {
		Success bool   `json:"success"`
		Replay  Replay `json:"replay"`
	}
}

func (x API) replay(ctx context.Context, in *replayIn) (*replayOut, error) {
	told, programs, err := x.recorded(ctx)
	if err != nil {
		return nil, err
	}
	version, wanted := "", map[string]string(nil)
	if in.Body != nil {
		version, wanted = in.Body.Version, maps.Clone(in.Body.Versions)
	}
	if version != "" {
		if wanted == nil {
			wanted = map[string]string{}
		}
		wanted[told.State.AgentName] = version
	}
	versions := runtime.VersionsOf(told.State.Talk.Manifest)
	others, err := x.others(ctx, wanted, programs, func(agent string) string {
		if version != "" && agent == told.State.AgentName {
			return "version"
		}
		return "versions." + agent
	})
	if err != nil {
		return nil, err
	}
	maps.Copy(versions, wanted)
	maps.Copy(programs, others)
	done := replays.Replay(commitsOf(told.Events), programs, len(others) > 0)
	out := &replayOut{}
	out.Body.Success, out.Body.Replay = true, Replay{Same: done.Difference == nil, Turns: done.Turns, Decisions: done.Decisions,
		Passed: done.Passed, Versions: versions}
	if d := done.Difference; d != nil {
		out.Body.Replay.Difference = &ReplayDifference{Turn: d.Turn, AgentName: d.Agent, Step: d.Step, Input: d.Input,
			Expected: shownEvent(d.Expected), Got: shownEvent(d.Got), Refused: d.Refused}
	}
	return out, nil
}

func shownEvent(e *replays.Event) *ReplayedEvent {
	if e == nil {
		return nil
	}
	return &ReplayedEvent{e.Name, jsontext.Object(e.Data)}
}

// recorded is the session at hand with its events, and its programs, which are the caller's own.
func (x API) recorded(ctx context.Context) (told eventstore.Told[sessions.State], programs turns.Programs, err error) {
	if !rest.PrincipalOf(ctx).HasPermission(access.PermPersonalRead) {
		return told, nil, fault.New(fault.Forbidden, "the events of a session need the permission %s", access.PermPersonalRead)
	}
	told, err = eventstore.History(ctx, x.Chat.Store, sessions.Sessions, sessions.Sessions.Stream(runtime.SessionOf(ctx).SessionID))
	if err != nil {
		return told, nil, err
	}
	if told.State.Talk.Manifest == nil {
		return told, nil, fault.New(fault.Conflict, "the session is one of a call, in which no turns are decided")
	}
	if slices.ContainsFunc(told.Events, func(e eventstore.Recorded) bool { _, is := e.Payload.(sessions.Erased); return is }) {
		return told, nil, fault.New(fault.Gone, "the person of the session was erased: what was said in it is not there any more")
	}
	programs, err = x.Chat.Programs.Of(ctx, told.State.TenantID, told.State.ProjectID, told.State.Talk.Manifest)
	return told, programs, err
}

// commitsOf has the events of each decision together.
func commitsOf(events []eventstore.Recorded) (out []replays.Commit) {
	last := ""
	for _, e := range events {
		if e.Commit != last || len(out) == 0 {
			out, last = append(out, nil), e.Commit
		}
		out[len(out)-1] = append(out[len(out)-1], e.Payload)
	}
	return out
}

// others compiles the versions that are wanted of the agents of a session. named is the field that
// wants that of an agent.
func (x API) others(ctx context.Context, wanted map[string]string, known turns.Programs,
	named func(agent string) string) (turns.Programs, error) {
	out := turns.Programs{}
	var f fault.Fields
	for _, agent := range slices.Sorted(maps.Keys(wanted)) {
		field := named(agent)
		if known[agent] == nil {
			f.Add(field, "names no agent of the session")
			continue
		}
		source, problem, err := x.source(ctx, agent, wanted[agent])
		if err != nil {
			return nil, err
		}
		if problem != "" {
			f.Add(field, "%s", problem)
			continue
		}
		program, problems := dsl.Compile(agent, source)
		if program == nil {
			f.Add(field, "does not compile: %s", problems.Error())
			continue
		}
		if lacks := lacking(program, known); lacks != "" {
			f.Add(field, "%s", lacks)
			continue
		}
		out[agent] = program
	}
	return out, f.Err()
}

// source is a version of an agent, or why there is none.
func (x API) source(ctx context.Context, agent, version string) (text, problem string, err error) {
	project := rest.ProjectOf(ctx)
	found, err := x.Agents.Named(ctx, project.TenantID, project.ID, agent)
	switch {
	case err != nil:
		return "", "", err
	case len(found) == 0:
		return "", "is asked of " + agent + ", which is not there any more", nil
	case version == workingCopy:
		return found[0].DSL, "", nil
	}
	number, err := strconv.ParseInt(version, 10, 32)
	if err != nil || number < 1 {
		return "", "must be the number of a version, or " + workingCopy, nil
	}
	v, ok, err := x.Agents.Version(ctx, project.TenantID, project.ID, found[0].AgentID, int(number))
	if err == nil && !ok {
		problem = fmt.Sprintf("%q is no version of %s", version, agent)
	}
	return v.DSL, problem, err
}

// lacking is why turns of a session cannot be decided by a program.
func lacking(p *dsl.Program, known turns.Programs) string {
	for _, to := range p.References().Agents {
		if known[to] == nil {
			return fmt.Sprintf("can hand over to %s, which the session does not know", to)
		}
	}
	return ""
}

// payloads are events without their envelopes.
func payloads(events []eventstore.Recorded) (out []event.Payload) {
	for _, e := range events {
		out = append(out, e.Payload)
	}
	return out
}

func raw(v any) json.RawMessage {
	data, _ := json.Marshal(v) // it came of JSON
	return data
}
