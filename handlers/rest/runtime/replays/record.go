package replays

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

type recordIn struct {
	runtime.SessionPath
	Name string `query:"name" maxLength:"128" doc:"Of the case; the session's id unless said."`
}

// RecordedSuite is the spec of a manifest of kind TestSuite.
type RecordedSuite struct {
	ProjectID string            `json:"projectId"`
	AgentName string            `json:"agentName"`
	Language  string            `json:"language,omitempty"`
	Cases     []jsontext.Object `json:"cases"`
}

// RecordedPlay is how a case went that was just made.
type RecordedPlay struct {
	Passed bool   `json:"passed"`
	Wrong  string `json:"wrong,omitempty" doc:"The first thing that is not as it was."`
}

type recordOut struct {
	Body struct {
		Success bool          `json:"success"`
		Suite   RecordedSuite `json:"suite"`
		Notes   []string      `json:"notes"`
		Played  RecordedPlay  `json:"played"`
	}
}

func (x API) record(ctx context.Context, in *recordIn) (*recordOut, error) {
	name := in.Name
	if name != "" {
		var f fault.Fields
		if name = access.CheckName(&f, "name", name); len(f) > 0 { // no manifest could have it
			return nil, f.Err()
		}
	}
	told, programs, err := x.recorded(ctx)
	if err != nil {
		return nil, err
	}
	s := told.State
	if name == "" {
		name = "session " + s.ID
	}
	c, notes, err := testsuites.Record(name, payloads(told.Events), programs)
	if err != nil {
		return nil, err
	}
	played := c.Play(testsuites.Stage{Programs: programs, Manifest: s.Talk.Manifest, Agent: s.AgentName, Language: s.Talk.Language,
		Session: s.ID, At: s.OpenedAt.UTC()})
	out := &recordOut{}
	out.Body.Success, out.Body.Notes = true, rest.OrNone(notes)
	out.Body.Suite = RecordedSuite{ProjectID: s.ProjectID, AgentName: s.AgentName, Language: s.Talk.Language,
		Cases: []jsontext.Object{jsontext.Object(raw(c))}}
	out.Body.Played = RecordedPlay{Passed: played.Wrong() == "", Wrong: played.Wrong()}
	return out, nil
}
