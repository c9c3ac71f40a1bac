package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

// wrongIn is what is wrong in the source of an agent, as answers tell it.
func wrongIn(agent string, problems dsl.Problems) (out []fault.Detail) {
	for _, p := range problems {
		said := fmt.Sprintf("line %d, column %d: %s (%s)", p.Line, p.Column, p.Hint, p.Code)
		out = append(out, fault.Detail{Field: agent + "." + p.Field, Problem: said, Line: p.Line, Column: p.Column, Code: p.Code, Hint: p.Hint})
	}
	return out
}

// auto stands for the working copy as it is, which is saved as a version.
const auto = "auto"

// wanted reads agentVersionManifest: a version or auto by name, or auto for all.
func wanted(raw json.RawMessage) (versions map[string]string, all bool, err error) {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if word != auto {
			return nil, false, fault.Field("agentVersionManifest", "must be an object of versions by agent, or auto")
		}
		return map[string]string{}, true, nil
	}
	if err := json.Unmarshal(raw, &versions); err != nil || len(versions) == 0 {
		return nil, false, fault.Field("agentVersionManifest",
			"must be an object of versions by agent, each a text such as \"3\" or auto, or auto")
	}
	if len(versions) > mostAgents {
		return nil, false, fault.Field("agentVersionManifest", "may have at most %d agents", mostAgents)
	}
	for name, v := range versions {
		if n, err := strconv.Atoi(v); v != auto && (err != nil || n < 1 || strconv.Itoa(n) != v) {
			return nil, false, fault.Field("agentVersionManifest", "has %q for %s: a version is a number from 1 on, or auto", v, name)
		}
	}
	return versions, false, nil
}

// resolved finds, saves where that is wanted, and compiles the versions of a deployment.
func (x DeploymentsAPI) resolved(ctx context.Context, entry string, versions map[string]string,
	all bool) (map[string]deployments.Pin, error) {
	manifest, problems := map[string]deployments.Pin{}, fault.Fields{}
	todo := slices.Sorted(maps.Keys(versions))
	if all {
		todo = []string{entry}
	}
	for i := 0; i < len(todo); i++ {
		name := todo[i]
		if _, done := manifest[name]; done {
			continue
		}
		if len(manifest) == mostAgents {
			return nil, fault.Field("agentVersionManifest", "may have at most %d agents", mostAgents)
		}
		pin, text, err := x.pin(ctx, name, versions[name], all)
		if err != nil {
			return nil, err
		}
		manifest[name] = pin
		program, wrong := dsl.Compile(name, text)
		if problems = append(problems, wrongIn(name, wrong)...); program == nil {
			continue
		}
		for _, other := range program.References().Agents {
			switch _, in := versions[other]; {
			case all:
				todo = append(todo, other)
			case !in:
				problems.Add("agentVersionManifest", "lacks %s, which %s hands over or delegates to", other, name)
			}
		}
	}
	return manifest, problems.Err()
}

// pin is one version of an agent, and its text.
func (x DeploymentsAPI) pin(ctx context.Context, name, version string, all bool) (deployments.Pin, string, error) {
	project := rest.ProjectOf(ctx)
	unknown := fault.Field("agentVersionManifest", "names %s, which the project has not", name)
	if !agents.ValidName(name) {
		return deployments.Pin{}, "", unknown
	}
	found, err := x.Agents.Named(ctx, project.TenantID, project.ID, name)
	if err != nil {
		return deployments.Pin{}, "", err
	}
	if len(found) == 0 {
		return deployments.Pin{}, "", unknown
	}
	a := found[0]
	if all || version == auto {
		return x.saved(ctx, a)
	}
	n, _ := strconv.Atoi(version)
	v, ok, err := x.Agents.Version(ctx, project.TenantID, project.ID, a.AgentID, n)
	if err == nil && !ok {
		err = fault.Field("agentVersionManifest", "has version %s of %s, which there is not", version, name)
	}
	return deployments.Pin{AgentID: a.AgentID, Version: n, Hash: string(agents.HashOf(v.DSL))}, v.DSL, err
}

// saved is the working copy of an agent, saved as a version if it is none yet. A repeat of the
// request saves it once.
func (x DeploymentsAPI) saved(ctx context.Context, a runtime.Agent) (deployments.Pin, string, error) {
	project, by := rest.ProjectOf(ctx), x.Caller(ctx)
	if by.RequestID != "" {
		by.RequestID = eventstore.RequestID(x.MAC, project.TenantID, "deployed version", a.AgentID, by.RequestID)
	}
	cmd := agents.SaveVersion{TenantID: project.TenantID, ProjectID: project.ID, AgentID: a.AgentID, At: x.Now()}
	res, err := acts.Execute(ctx, x.Log, by, agents.Agents, agents.Stream(project.TenantID, project.ID), cmd.Decide)
	if err != nil {
		return deployments.Pin{}, "", err
	}
	n, _ := strconv.Atoi(res.State.Newest(a.AgentID))
	v, ok, err := x.Agents.Version(ctx, project.TenantID, project.ID, a.AgentID, n)
	if err == nil && !ok {
		err = fmt.Errorf("version %d of the agent %s was saved and is not there", n, a.AgentID)
	}
	return deployments.Pin{AgentID: a.AgentID, Version: n, Hash: string(agents.HashOf(v.DSL))}, v.DSL, err
}
