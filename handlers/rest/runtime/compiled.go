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

// resolved finds and compiles the versions of a deployment. Those that are working copies have
// no number yet: see numbered.
func (x DeploymentsAPI) resolved(ctx context.Context, entry string, versions map[string]string, all bool,
	problems *fault.Fields) (map[string]deployments.Pin, error) {
	manifest := map[string]deployments.Pin{}
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
		pin, text, err := x.pin(ctx, name, versions[name], problems)
		if err != nil {
			return nil, err
		}
		if manifest[name] = pin; pin.AgentID == "" {
			continue
		}
		program, wrong := dsl.Compile(name, text)
		if *problems = append(*problems, wrongIn(name, wrong)...); program == nil {
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
	return manifest, nil
}

// pin is one version of an agent, and its text; of none, which is a problem, it is empty.
// Without a version it is the working copy.
func (x DeploymentsAPI) pin(ctx context.Context, name, version string, problems *fault.Fields) (pin deployments.Pin, text string,
	err error) {
	project := rest.ProjectOf(ctx)
	var found []runtime.Agent
	if agents.ValidName(name) {
		if found, err = x.Agents.Named(ctx, project.TenantID, project.ID, name); err != nil {
			return pin, "", err
		}
	}
	if len(found) == 0 {
		problems.Add("agentVersionManifest", "names %s, which the project has not", name)
		return pin, "", nil
	}
	a := found[0]
	n, err := strconv.Atoi(version)
	if err != nil { // auto
		return deployments.Pin{AgentID: a.AgentID, Hash: string(agents.HashOf(a.DSL))}, a.DSL, nil
	}
	v, ok, err := x.Agents.Version(ctx, project.TenantID, project.ID, a.AgentID, n)
	switch {
	case err != nil:
		return pin, "", err
	case !ok:
		problems.Add("agentVersionManifest", "has version %s of %s, which there is not", version, name)
		return pin, "", nil
	}
	return deployments.Pin{AgentID: a.AgentID, Version: n, Hash: string(agents.HashOf(v.DSL))}, v.DSL, nil
}

// numbered makes versions of the working copies of a manifest, all in one commit, and only of
// the texts that were compiled. It needs no key: a repeat finds versions of these texts.
func (x DeploymentsAPI) numbered(ctx context.Context, manifest map[string]deployments.Pin) error {
	project, by := rest.ProjectOf(ctx), x.Caller(ctx)
	by.RequestID = ""
	cmd := agents.SaveVersions{TenantID: project.TenantID, ProjectID: project.ID, Of: map[string]agents.Hash{}, At: x.Now()}
	for _, pin := range manifest {
		if pin.Version == 0 {
			cmd.Of[pin.AgentID] = agents.Hash(pin.Hash)
		}
	}
	if len(cmd.Of) == 0 {
		return nil
	}
	res, err := acts.Execute(ctx, x.Log, by, agents.Agents, agents.Stream(project.TenantID, project.ID), cmd.Decide)
	if err != nil {
		return err
	}
	for name, pin := range manifest {
		if pin.Version == 0 {
			pin.Version, _ = strconv.Atoi(res.State.Newest(pin.AgentID)) // the domain counts
			manifest[name] = pin
		}
	}
	return nil
}
