package runtime

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

const (
	agentVersionsPath = projectAgentPath + "/versions"
	agentVersionPath  = agentVersionsPath + "/{version}"
)

// DeclareAgentVersions adds the operations on the versions of agents (extensions).
func DeclareAgentVersions(api *rest.API, x AgentsAPI) {
	tags, writes := []string{tagAgents}, []fault.Code{fault.NotExecuted, fault.OutcomeUnknown}
	read, write := access.Needs(access.PermAgentRead), access.Needs(access.PermAgentWrite)
	rest.Declare(api, rest.Operation{
		ID: "list-agent-versions", Method: http.MethodGet, Path: agentVersionsPath, Extension: true, Tags: tags,
		Summary: "List the versions of an agent, the newest first", Description: "Without their texts.",
		Requirement: read, Resolve: x.agentOfProject(),
	}, x.versions)
	rest.Declare(api, rest.Operation{
		ID: "save-agent-version", Method: http.MethodPost, Path: agentVersionsPath, Extension: true, Tags: tags,
		Summary:     "Save the working copy as a version",
		Description: "Versions are 1, 2 and so on, and never change. A working copy that is the newest version already stays that one.",
		Requirement: write, Resolve: x.agentOfProject(), Refusals: append(writes, fault.LimitReached),
	}, x.saveVersion)
	rest.Declare(api, rest.Operation{
		ID: "get-agent-version", Method: http.MethodGet, Path: agentVersionPath, Extension: true, Tags: tags,
		Summary: "Read a version of an agent", Description: "With its text, which never changes.",
		Requirement: read, Resolve: x.versionOfPath(),
	}, x.version)
	rest.Declare(api, rest.Operation{
		ID: "compare-agent-version", Method: http.MethodGet, Path: agentVersionPath + "/difference", Extension: true, Tags: tags,
		Summary:     "Compare a version of an agent with another text of it",
		Description: "What was taken out of the other text and what was put in, as lines of a unified diff, as patch and git show it.",
		Requirement: read, Resolve: x.versionOfPath(),
	}, x.difference)
	rest.Declare(api, rest.Operation{
		ID: "restore-agent-version", Method: http.MethodPost, Path: agentVersionPath + "/restore", Extension: true, Tags: tags,
		Summary:     "Make a version the working copy of its agent again",
		Description: "Nothing is deployed by it. What the working copy said stays readable where it was saved as a version.",
		Requirement: write, Resolve: x.versionOfPath(), Refusals: writes,
	}, x.restore)
}

// AgentVersion is a version as lists show it.
type AgentVersion struct {
	Version string `json:"version" example:"3"`
	SavedAt string `json:"savedAt" format:"date-time"`
}

func shownVersion(v runtime.AgentVersion) AgentVersion {
	return AgentVersion{strconv.Itoa(v.Version), rest.ISOTime(&v.SavedAt)}
}

type listVersionsIn struct {
	AgentPath
	rest.Page
}

type listVersionsOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Versions   []AgentVersion  `json:"versions"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x AgentsAPI) versions(ctx context.Context, in *listVersionsIn) (*listVersionsOut, error) {
	a := agentAt(ctx)
	found, total, err := x.Agents.Versions(ctx, rest.ProjectOf(ctx).TenantID, a.ProjectID, a.AgentID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listVersionsOut{}
	out.Body.Success, out.Body.Versions, out.Body.Pagination = true, rest.Shown(found, shownVersion), in.Of(total)
	return out, nil
}

type versionOut struct {
	Body struct {
		Success bool         `json:"success"`
		Version AgentVersion `json:"version"`
	}
}

func (x AgentsAPI) saveVersion(ctx context.Context, _ *struct{ AgentPath }) (*versionOut, error) {
	a, project := agentAt(ctx), rest.ProjectOf(ctx)
	cmd := agents.SaveVersion{TenantID: project.TenantID, ProjectID: project.ID, AgentID: a.AgentID, At: x.Now()}
	res, err := rest.Execute(ctx, x.Commands, agents.Agents, agents.Stream(project.TenantID, project.ID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	name := res.State.Newest(a.AgentID)
	if e, ok := eventstore.Find[agents.VersionSaved](res); ok {
		name = e.Version
	}
	number, _ := strconv.Atoi(name) // the domain counts
	saved, err := x.saved(ctx, number)
	if err != nil {
		return nil, err
	}
	out := &versionOut{}
	out.Body.Success, out.Body.Version = true, shownVersion(saved)
	return out, nil
}

// saved is a version of the request's agent.
func (x AgentsAPI) saved(ctx context.Context, number int) (runtime.AgentVersion, error) {
	a := agentAt(ctx)
	v, ok, err := x.Agents.Version(ctx, rest.ProjectOf(ctx).TenantID, a.ProjectID, a.AgentID, number)
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "there is no such version")
	}
	return v, err
}

func (x AgentsAPI) versionOfPath() rest.ResolveFunc {
	return rest.ResolveAll(x.agentOfProject(), func(ctx context.Context, p rest.Params) (context.Context, error) {
		number, err := strconv.ParseInt(p.Path("version"), 10, 32)
		if err != nil || strconv.FormatInt(number, 10) != p.Path("version") {
			number = 0 // there is none
		}
		v, err := x.saved(ctx, int(number))
		return rest.About(ctx, v), err
	})
}

func versionAt(ctx context.Context) runtime.AgentVersion {
	return rest.Found[runtime.AgentVersion](ctx)
}

// VersionPath is embedded by the inputs of the operations on one version.
type VersionPath struct {
	AgentPath
	Version string `path:"version" doc:"A version of the agent." example:"3"`
}

type versionTextOut struct {
	Body struct {
		Success bool `json:"success"`
		Version struct {
			AgentVersion
			DSLContent string `json:"dslContent"`
		} `json:"version"`
	}
}

func (x AgentsAPI) version(ctx context.Context, _ *struct{ VersionPath }) (*versionTextOut, error) {
	v, out := versionAt(ctx), &versionTextOut{}
	out.Body.Success, out.Body.Version.AgentVersion, out.Body.Version.DSLContent = true, shownVersion(v), v.DSL
	return out, nil
}

func (x AgentsAPI) restore(ctx context.Context, _ *struct{ VersionPath }) (*savedAgentOut, error) {
	v := versionAt(ctx)
	return x.saveText(ctx, v.DSL, strconv.Itoa(v.Version))
}

// workingCopy is what the working copy is called among versions.
const workingCopy = "working"

type differenceIn struct {
	VersionPath
	Against string `query:"against" doc:"What it is compared with: a version, or working for the working copy; the version before it if it is left out, and nothing for the first." example:"working"`
}

type differenceOut struct {
	Body struct {
		Success    bool `json:"success"`
		Difference struct {
			From    string `json:"from" doc:"The other text: a version, working, or empty for nothing."`
			To      string `json:"to" doc:"The version of the path."`
			Changed bool   `json:"changed"`
			Unified string `json:"unified" doc:"Lines of a unified diff; empty where nothing differs."`
		} `json:"difference"`
	}
}

// mostLines is how many lines of each text are compared: comparing takes time that grows
// with their square.
const mostLines = 5000

func (x AgentsAPI) difference(ctx context.Context, in *differenceIn) (*differenceOut, error) {
	to := versionAt(ctx)
	from, text, err := x.against(ctx, in.Against, to)
	if err != nil {
		return nil, err
	}
	out := &differenceOut{}
	d := &out.Body.Difference
	out.Body.Success, d.From, d.To, d.Changed = true, from, strconv.Itoa(to.Version), text != to.DSL
	if !d.Changed {
		return out, nil
	}
	old, now := lines(text), lines(to.DSL)
	if max(len(old), len(now)) > mostLines {
		return nil, fault.New(fault.BadRequest, "texts of more than %d lines are not compared here: read both", mostLines)
	}
	d.Unified, err = difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: old, B: now, FromFile: from, ToFile: d.To, Context: 3})
	return out, err
}

// lines are those of a text as a unified diff has them.
func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if last := len(all) - 1; all[last] == "" {
		all = all[:last]
	} else {
		all[last] += "\n\\ No newline at end of file\n"
	}
	return all
}

// against is the other text of a comparison.
func (x AgentsAPI) against(ctx context.Context, name string, to runtime.AgentVersion) (from, text string, err error) {
	switch {
	case name == workingCopy:
		return workingCopy, agentAt(ctx).DSL, nil
	case name == "" && to.Version == 1:
		return "", "", nil
	case name == "":
		name = strconv.Itoa(to.Version - 1)
	}
	number, err := strconv.ParseInt(name, 10, 32)
	if err != nil || strings.HasPrefix(name, "+") {
		return "", "", fault.Field("against", "must be a version of the agent, or %s", workingCopy)
	}
	other, err := x.saved(ctx, int(number))
	if fault.Is(err, fault.NotFound) {
		err = fault.Field("against", "must be a version of the agent, or %s", workingCopy)
	}
	return strconv.Itoa(other.Version), other.DSL, err
}
