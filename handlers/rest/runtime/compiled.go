package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/dsl/project"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

// wrongIn is what is wrong in the sources of agents, as answers tell it.
func wrongIn(problems []project.Problem) (out []fault.Detail) {
	for _, p := range problems {
		said := fmt.Sprintf("line %d, column %d: %s (%s)", p.Line, p.Column, p.Hint, p.Code)
		out = append(out, fault.Detail{Field: strings.TrimSuffix(p.Agent+"."+p.Field, "."), Problem: said, Line: p.Line, Column: p.Column,
			Code: p.Code, Hint: p.Hint})
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
	if len(versions) > acts.MostAgents {
		return nil, false, fault.Field("agentVersionManifest", "may have at most %d agents", acts.MostAgents)
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
	manifest, first := map[string]deployments.Pin{}, slices.Sorted(maps.Keys(versions))
	if all {
		first = []string{entry}
	}
	reached, err := project.Reach(first, func(name string) (string, bool, error) {
		if _, in := versions[name]; !in && !all {
			return "", false, nil
		}
		if len(manifest) == acts.MostAgents {
			return "", false, fault.Field("agentVersionManifest", "may have at most %d agents", acts.MostAgents)
		}
		a, ok, err := agentNamed(ctx, x.Agents, name)
		switch {
		case err != nil:
			return "", false, err
		case !ok:
			switch {
			case all && name == entry: // nothing else names it
				problems.Add("entryAgentName", "names %s, which the project has not", name)
			case slices.Contains(first, name): // else it is told who names it
				problems.Add("agentVersionManifest", "names %s, which the project has not", name)
			}
			return "", false, nil
		}
		pin, text, ok, err := x.pin(ctx, a, versions[name], problems)
		manifest[name] = pin
		return text, ok, err
	})
	if err != nil {
		return nil, err
	}
	*problems = append(*problems, wrongIn(reached.Errors)...)
	for _, m := range reached.Missing {
		if all {
			*problems = append(*problems, wrongIn([]project.Problem{m.Problem})...)
			continue
		}
		problems.Add("agentVersionManifest", "lacks %s, which %s hands over or delegates to", m.To, m.Agent)
	}
	return manifest, nil
}

// namedReader knows agents by their names.
type namedReader interface {
	Named(ctx context.Context, tenant, project, name string) ([]runtime.Agent, error)
}

// agentNamed finds an agent of the project by its name.
func agentNamed(ctx context.Context, from namedReader, name string) (a runtime.Agent, ok bool, err error) {
	if !agents.ValidName(name) {
		return a, false, nil
	}
	p := rest.ProjectOf(ctx)
	found, err := from.Named(ctx, p.TenantID, p.ID, name)
	if err != nil || len(found) == 0 {
		return a, false, err
	}
	return found[0], true, nil
}

// pin is a version of an agent, and its text; one that there is not is a problem. auto is the
// working copy, without a number.
func (x DeploymentsAPI) pin(ctx context.Context, a runtime.Agent, version string, problems *fault.Fields) (pin deployments.Pin, text string,
	ok bool, err error) {
	n, err := strconv.Atoi(version)
	if err != nil { // auto
		return deployments.Pin{AgentID: a.AgentID, Hash: string(agents.HashOf(a.DSL))}, a.DSL, true, nil
	}
	p := rest.ProjectOf(ctx)
	v, ok, err := x.Agents.Version(ctx, p.TenantID, p.ID, a.AgentID, n)
	if err == nil && !ok {
		problems.Add("agentVersionManifest", "has version %s of %s, which there is not", version, a.Name)
	}
	return deployments.Pin{AgentID: a.AgentID, Version: n, Hash: string(agents.HashOf(v.DSL))}, v.DSL, ok, err
}

// numbered makes versions of the working copies of a manifest, all in one commit, and only of
// the texts that were compiled. It needs no key: a repeat finds versions of these texts.
func (x DeploymentsAPI) numbered(ctx context.Context, manifest map[string]deployments.Pin) error {
	p, by := rest.ProjectOf(ctx), x.Caller(ctx)
	by.RequestID = ""
	cmd := agents.SaveVersions{TenantID: p.TenantID, ProjectID: p.ID, Of: map[string]agents.Hash{}, At: x.Now()}
	for _, pin := range manifest {
		if pin.Version == 0 {
			cmd.Of[pin.AgentID] = agents.Hash(pin.Hash)
		}
	}
	if len(cmd.Of) == 0 {
		return nil
	}
	res, err := acts.Execute(ctx, x.Log, by, agents.Agents, agents.Stream(p.TenantID, p.ID), cmd.Decide)
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
