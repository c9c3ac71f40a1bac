// Package exports has the operation that previews what an export of a project would have in it.
// What is sound is decided by package project of the language.
package exports

import (
	"context"
	"net/http"
	"sync"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/dsl/project"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	stored "github.com/parley-platform/parley/projections/runtime"
)

// API is what the preview of a project's export needs.
type API struct {
	Agents workingReader
	Docks  docksReader
	read   *readSources
}

// workingReader knows the working copies of agents.
type workingReader interface {
	WorkingCopies(ctx context.Context, tenant, project string, limit int) ([]stored.WorkingCopy, error)
	WorkingSources(ctx context.Context, tenant, project string, ids []string) ([]stored.WorkingSource, error)
}

// docksReader knows all workflows and tools of a project.
type docksReader interface {
	List(ctx context.Context, tenant, project string, limit int) ([]stored.Dock, error)
}

// A preview shows all of a project in one answer, so that both are bounded.
const (
	mostPreviewed      = 500  // agents
	mostDocksPreviewed = 2000 // workflows and tools
)

// Declare adds the preview of what an export of a project would have in it.
func Declare(api *rest.API, x API) {
	x.read = &readSources{compile: project.Read}
	rest.Declare(api, rest.Operation{
		ID: "preview-project-export", Method: http.MethodGet, Path: "/api/projects/{projectId}/project-io/export/preview",
		Tags: []string{"Project export"}, Summary: "Preview the export of a project",
		Description: "Its agents and tools, which of them an agent needs, and whether all of it is sound: the working copies are compiled, " +
			"and agents, tools and workflows that they name must exist. Of a source that does not compile it is not known what it needs. " +
			"A project of more than 500 agents, or 2,000 workflows and tools, has no preview.",
		Requirement: access.Needs(access.PermProjectExport), Resolve: rest.ProjectFrom("projectId"),
		Refusals: []fault.Code{fault.LimitReached},
	}, x.preview)
}

// ExportAgent is an agent as the preview of an export shows it.
type ExportAgent struct {
	Name          string `json:"name" example:"greeter"`
	HasDSLContent bool   `json:"hasDslContent" doc:"It has a source."`
}

// ExportTool is a tool as the preview of an export shows it.
type ExportTool struct {
	Name     string `json:"name" example:"Look up an order"`
	ToolType string `json:"toolType" enum:"http,async_webhook,mcp,code"`
}

// ExportEdge says that an agent needs another one, or a tool.
type ExportEdge struct {
	From string `json:"from" doc:"Name of the agent." example:"greeter"`
	To   string `json:"to" doc:"Name of the agent or tool; of a tool that does not exist, the id that the source has." example:"closer"`
	Type string `json:"type" enum:"handoff,delegate,tool"`
}

// ExportProblem is what is wrong in the source of one agent.
type ExportProblem struct {
	Agent  string `json:"agent" example:"greeter"`
	Field  string `json:"field" doc:"Where in the structure of the source; empty: all of it." example:"HANDOFF.TO"`
	Line   int    `json:"line" minimum:"1" doc:"From 1."`
	Column int    `json:"column" minimum:"1" doc:"From 1, in characters."`
	Code   string `json:"code" example:"unknown_agent"`
	Hint   string `json:"hint" example:"the project has no agent closer"`
}

type exportPreviewIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
}

// ExportProject is the project that the preview of an export is about.
type ExportProject struct {
	Name string `json:"name" example:"Acme Bot"`
	Slug string `json:"slug" example:"acme-bot"`
}

// ExportValidation is whether a project is sound, and what is not.
type ExportValidation struct {
	Valid    bool            `json:"valid" doc:"There are no errors."`
	Errors   []ExportProblem `json:"errors" doc:"By agent and line, the first 1,000."`
	Warnings []ExportProblem `json:"warnings" doc:"By agent and line, the first 1,000."`
}

// ExportDependencies is what the agents of a project need.
type ExportDependencies struct {
	Edges      []ExportEdge     `json:"edges" doc:"Each once, by from, type and to."`
	Validation ExportValidation `json:"validation"`
}

type exportPreviewOut struct {
	Body struct {
		Success      bool               `json:"success"`
		Project      ExportProject      `json:"project"`
		Agents       []ExportAgent      `json:"agents" doc:"By name."`
		Tools        []ExportTool       `json:"tools" doc:"By name."`
		Dependencies ExportDependencies `json:"dependencies"`
	}
}

func (x API) preview(ctx context.Context, _ *exportPreviewIn) (*exportPreviewOut, error) {
	p := rest.ProjectOf(ctx)
	copies, err := x.Agents.WorkingCopies(ctx, p.TenantID, p.ID, mostPreviewed+1)
	if err != nil {
		return nil, err
	}
	docks, err := x.Docks.List(ctx, p.TenantID, p.ID, mostDocksPreviewed+1)
	switch {
	case err != nil:
		return nil, err
	case len(copies) > mostPreviewed:
		return nil, fault.New(fault.LimitReached, "a project with more than %d agents has no preview", mostPreviewed)
	case len(docks) > mostDocksPreviewed:
		return nil, fault.New(fault.LimitReached, "a project with more than %d workflows and tools has no preview", mostDocksPreviewed)
	}
	sources, err := x.read.of(ctx, x.Agents, p.TenantID, p.ID, copies)
	if err != nil {
		return nil, err
	}
	names := map[deployables.Kind]map[string]string{deployables.Tool: {}, deployables.Workflow: {}}
	out := &exportPreviewOut{}
	b := &out.Body
	b.Success, b.Project = true, ExportProject{p.Name, p.Slug}
	b.Agents = rest.Shown(copies, func(c stored.WorkingCopy) ExportAgent { return ExportAgent{c.Name, c.Hash != ""} })
	b.Tools = []ExportTool{}
	for _, d := range docks {
		kind := deployables.Kind(d.Kind)
		names[kind][d.ID] = d.Name
		if kind == deployables.Tool {
			b.Tools = append(b.Tools, ExportTool{d.Name, d.ToolType})
		}
	}
	needs := project.Link(sources, names[deployables.Tool], names[deployables.Workflow])
	b.Dependencies = ExportDependencies{
		Edges:      rest.Shown(needs.Edges, func(e project.Edge) ExportEdge { return ExportEdge{e.From, e.To, string(e.Type)} }),
		Validation: ExportValidation{needs.Valid, rest.Shown(needs.Errors, exportProblem), rest.Shown(needs.Warnings, exportProblem)},
	}
	return out, nil
}

func exportProblem(p project.Problem) ExportProblem {
	return ExportProblem{p.Agent, p.Field, p.Line, p.Column, p.Code, p.Hint}
}

// readSources keeps what sources say, by the agent's name and the hash of its source: both
// never change, so that each is compiled once on a node.
type readSources struct {
	compile func(agent, source string) project.Source
	mu      sync.Mutex
	kept    map[sourceKey]project.Source
}

type sourceKey struct{ agent, hash string }

const (
	// mostKept is how many sources are kept; with one more all are read anew when they are
	// wanted.
	mostKept = 2 * mostPreviewed
	// readAtOnce bounds what texts a request has in memory: 16 of at most 256 KiB.
	readAtOnce = 16
)

// of gives what the sources of a project's agents say, in their order. An agent that is
// removed while they are read is left out.
func (r *readSources) of(ctx context.Context, from workingReader, tenant, id string, copies []stored.WorkingCopy) ([]project.Source,
	error) {
	known := make(map[string]project.Source, len(copies)) // by the agent's id
	var missing []stored.WorkingCopy
	r.mu.Lock()
	for _, c := range copies {
		if s, ok := r.kept[sourceKey{c.Name, c.Hash}]; ok {
			known[c.AgentID] = s
		} else {
			missing = append(missing, c)
		}
	}
	r.mu.Unlock()
	for len(missing) > 0 {
		some := missing[:min(len(missing), readAtOnce)]
		missing = missing[len(some):]
		if err := r.read(ctx, from, tenant, id, some, known); err != nil {
			return nil, err
		}
	}
	out := make([]project.Source, 0, len(copies))
	for _, c := range copies {
		if s, ok := known[c.AgentID]; ok {
			out = append(out, s)
		}
	}
	return out, nil
}

// read compiles the working copies of some agents as they are now, and keeps what they say.
func (r *readSources) read(ctx context.Context, from workingReader, tenant, id string, some []stored.WorkingCopy,
	known map[string]project.Source) error {
	names, ids := map[string]string{}, make([]string, len(some))
	for i, c := range some {
		names[c.AgentID], ids[i] = c.Name, c.AgentID
	}
	texts, err := from.WorkingSources(ctx, tenant, id, ids)
	if err != nil {
		return err
	}
	said := make([]project.Source, len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil { // nobody waits for it
			return err
		}
		said[i] = r.compile(names[t.AgentID], t.DSL)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, t := range texts {
		known[t.AgentID] = said[i]
		if r.kept == nil || len(r.kept) >= mostKept {
			r.kept = map[sourceKey]project.Source{}
		}
		hash := ""
		if t.DSL != "" {
			hash = string(agents.HashOf(t.DSL))
		}
		r.kept[sourceKey{names[t.AgentID], hash}] = said[i]
	}
	return nil
}
