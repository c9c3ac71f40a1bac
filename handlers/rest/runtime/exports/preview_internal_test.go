package exports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/dsl/project"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	stored "github.com/parley-platform/parley/projections/runtime"
)

// shelf is a read model of one project: its agents by their ids, which are their names too.
type shelf struct {
	copies []stored.WorkingCopy
	texts  map[string]string
	docks  int
	down   [3]error // of copies, texts, docks
	most   int      // texts that were asked for at once
}

func (s *shelf) put(name, text string) {
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	s.texts[name] = text
	s.copies = append(s.copies, stored.WorkingCopy{AgentID: name, Name: name, Hash: string(agents.HashOf(text))})
}

func (s *shelf) WorkingCopies(_ context.Context, _, _ string, limit int) ([]stored.WorkingCopy, error) {
	return s.copies[:min(limit, len(s.copies))], s.down[0]
}

func (s *shelf) WorkingSources(_ context.Context, _, _ string, ids []string) (out []stored.WorkingSource, err error) {
	s.most = max(s.most, len(ids))
	for _, id := range ids {
		if text, ok := s.texts[id]; ok {
			out = append(out, stored.WorkingSource{AgentID: id, DSL: text})
		}
	}
	return out, s.down[1]
}

func (s *shelf) List(_ context.Context, _, _ string, limit int) ([]stored.Dock, error) {
	return slices.Repeat([]stored.Dock{{Kind: "tool", ToolType: "http"}}, min(limit, s.docks)), s.down[2]
}

// counted reads sources, and counts how often.
func counted() (*readSources, *atomic.Int32) {
	var n atomic.Int32
	return &readSources{compile: func(agent, source string) project.Source {
		n.Add(1)
		return project.Read(agent, source)
	}}, &n
}

// Given agents whose sources were read, when they are wanted again, then only what has
// changed is compiled, and what was removed meanwhile is left out.
func TestSourcesAreCompiledOnce(t *testing.T) {
	s, ctx := &shelf{}, t.Context()
	for n := range readAtOnce + 3 {
		s.put(fmt.Sprintf("agent-%02d", n), "no: [yaml")
	}
	r, compiled := counted()
	first, err := r.of(ctx, s, "t", "p", s.copies)
	require.NoError(t, err)
	require.EqualValues(t, len(s.copies), compiled.Load(), "the same text under another name is another source")
	require.Equal(t, readAtOnce, s.most)
	for i, source := range first {
		require.Equal(t, s.copies[i].Name, source.Agent, "in the order of the copies")
		require.NotEmpty(t, source.Errors)
	}
	again, err := r.of(ctx, s, "t", "p", s.copies)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.EqualValues(t, len(s.copies), compiled.Load())

	s.texts["agent-03"] = "changed"
	s.copies[3].Hash = string(agents.HashOf("changed"))
	s.copies[4].Hash = string(agents.HashOf("removed meanwhile"))
	delete(s.texts, "agent-04")
	third, err := r.of(ctx, s, "t", "p", s.copies)
	require.NoError(t, err)
	require.EqualValues(t, len(s.copies)+1, compiled.Load())
	require.Len(t, third, len(first)-1)
	require.Equal(t, first[5], third[4])
}

// Given a copy whose text changed after its hash was read, when it is wanted by the older
// hash, then the newer text is not taken for it later.
func TestASourceIsKeptByWhatWasRead(t *testing.T) {
	s, ctx := &shelf{}, t.Context()
	s.put("a", "older")
	older := s.copies
	s.texts["a"] = ""
	r, compiled := counted()
	_, err := r.of(ctx, s, "t", "p", older)
	require.NoError(t, err)
	_, err = r.of(ctx, s, "t", "p", []stored.WorkingCopy{{AgentID: "a", Name: "a"}})
	require.NoError(t, err)
	require.EqualValues(t, 1, compiled.Load(), "the empty source is known")
	s.texts["a"] = "older"
	_, err = r.of(ctx, s, "t", "p", older)
	require.NoError(t, err)
	require.EqualValues(t, 2, compiled.Load())
}

// What is kept is bounded, and a request that ended is an error.
func TestReadingSourcesIsBounded(t *testing.T) {
	s, ctx := &shelf{}, t.Context()
	for n := range mostKept + 1 {
		s.put(fmt.Sprint("a-", n), "x")
	}
	r := &readSources{compile: func(agent, _ string) project.Source { return project.Source{Agent: agent} }}
	all, err := r.of(ctx, s, "t", "p", s.copies)
	require.NoError(t, err)
	require.Len(t, all, mostKept+1)
	require.Len(t, r.kept, 1)

	ended, end := context.WithCancel(ctx)
	end()
	_, err = (&readSources{compile: r.compile}).of(ended, s, "t", "p", s.copies)
	require.ErrorIs(t, err, context.Canceled)
}

// A project that is too large, and a database that is away, have no preview.
func TestPreviewsThatAreRefused(t *testing.T) {
	const path = "/api/projects/main/project-io/export/preview"
	for name, c := range map[string]struct {
		of     *shelf
		agents int
		status int
		text   string
	}{
		"as many as there may be": {&shelf{docks: mostDocksPreviewed}, mostPreviewed, 200, `"success":true`},
		"too many agents":         {&shelf{}, mostPreviewed + 1, 429, "more than 500 agents"},
		"too many tools":          {&shelf{docks: mostDocksPreviewed + 1}, 0, 429, "more than 2000 workflows and tools"},
		"no copies":               {&shelf{down: [3]error{errors.New("away")}}, 1, 500, "INTERNAL_ERROR"},
		"no texts":                {&shelf{down: [3]error{nil, errors.New("away")}}, 1, 500, "INTERNAL_ERROR"},
		"no tools to be read":     {&shelf{down: [3]error{nil, nil, errors.New("away")}}, 1, 500, "INTERNAL_ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range c.agents {
				c.of.put(fmt.Sprint("a-", n), "no: [yaml")
			}
			w := resttest.NewStored(t, nil, access.PermProjectExport)
			Declare(w.Api, API{Agents: c.of, Docks: c.of})
			got := w.Ask("GET", path, "")
			require.Equal(t, c.status, got.Status, got.Text)
			require.Contains(t, got.Text, c.text)
		})
	}
}

// An agent whose source the read model does not have yet is shown without one, and is an error.
func TestAPreviewOfAnAgentWithoutASource(t *testing.T) {
	s := &shelf{}
	s.put("blank", "")
	s.copies[0].Hash = ""
	w := resttest.NewStored(t, nil, access.PermProjectExport)
	Declare(w.Api, API{Agents: s, Docks: s})
	got := w.Ask("GET", "/api/projects/main/project-io/export/preview", "")
	require.Contains(t, got.Text, `"agents":[{"name":"blank","hasDslContent":false}]`)
	require.Contains(t, got.Text, `"valid":false,"errors":[{"agent":"blank","field":"","line":1,"column":1,"code":"empty",`)
}
