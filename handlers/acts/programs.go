package acts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// Programs compiles the sources that sessions go by, each once on a node: they never change.
type Programs struct {
	Sources sources

	mu   sync.Mutex
	kept map[programKey]*dsl.Program
}

// sources knows the texts of agents by their hashes.
type sources interface {
	Sources(ctx context.Context, tenant, project string, hashes []string) (map[string]string, error)
}

type programKey struct{ agent, hash string }

// mostPrograms is how many are kept; with one more all are compiled anew when they are wanted.
const mostPrograms = 1_000

// Of gives the programs of a session's agents.
func (p *Programs) Of(ctx context.Context, tenant, project string, manifest map[string]sessions.Pinned) (turns.Programs, error) {
	out := make(turns.Programs, len(manifest))
	var missing []string
	p.mu.Lock()
	for agent, pinned := range manifest {
		if kept := p.kept[programKey{agent, pinned.Hash}]; kept != nil {
			out[agent] = kept
		} else if !slices.Contains(missing, pinned.Hash) {
			missing = append(missing, pinned.Hash)
		}
	}
	p.mu.Unlock()
	if len(missing) == 0 {
		return overridden(out, manifest), nil
	}
	texts, err := p.Sources.Sources(ctx, tenant, project, missing)
	if err != nil {
		return nil, err
	}
	for agent, pinned := range manifest {
		text, ok := texts[pinned.Hash]
		if out[agent] != nil || !ok {
			continue
		}
		program, problems := dsl.Compile(agent, text)
		if program == nil {
			return nil, fault.New(fault.Unavailable, "the source of the agent %s does not compile with this version of the server: %s", agent,
				problems.Error()).Because(errSource)
		}
		out[agent] = program
		p.keep(programKey{agent, pinned.Hash}, program)
	}
	for agent := range manifest {
		if out[agent] == nil {
			return nil, fmt.Errorf("the source of the agent %s is not among those of the project", agent)
		}
	}
	return overridden(out, manifest), nil
}

// overridden are programs with what the deployment says in place of each MODEL.
func overridden(all turns.Programs, manifest map[string]sessions.Pinned) turns.Programs {
	for agent, pinned := range manifest {
		all[agent] = all[agent].With(pinned.Override)
	}
	return all
}

// errSource is why there are no programs now, and will be none, whoever asks.
var errSource = errors.New("a source that another version has taken")

// RefusedSource is what is wrong with a source, if that is why there are no programs.
func RefusedSource(err error) (what string, is bool) {
	told := (*fault.Error)(nil)
	if !errors.Is(err, errSource) || !errors.As(err, &told) {
		return "", false
	}
	return told.Message, true
}

func (p *Programs) keep(key programKey, program *dsl.Program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil || len(p.kept) >= mostPrograms {
		p.kept = map[programKey]*dsl.Program{}
	}
	p.kept[key] = program
}
