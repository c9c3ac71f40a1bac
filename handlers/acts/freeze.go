package acts

import (
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/dsl/project"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// MostAgents is how many agents one session may reach.
const MostAgents = 64

// Freeze compiles the working copies of an agent and of all that it can hand over to, and names
// them by their hashes, as a session keeps them. The agent's own program is the first; what is
// wrong in the sources is among what was reached.
func Freeze(entry string, find func(agent string) (source string, ok bool, err error)) (map[string]sessions.Pinned, project.Reached,
	error) {
	manifest := map[string]sessions.Pinned{}
	reached, err := project.Reach([]string{entry}, func(name string) (string, bool, error) {
		if len(manifest) == MostAgents {
			return "", false, fault.Field("agentId", "names an agent that can reach more than %d others", MostAgents-1)
		}
		source, ok, err := find(name)
		if ok {
			manifest[name] = sessions.Pinned{Hash: string(agents.HashOf(source))}
		}
		return source, ok, err
	})
	return manifest, reached, err
}
