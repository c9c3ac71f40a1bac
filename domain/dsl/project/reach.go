package project

import "github.com/parley-platform/parley/domain/dsl"

// Reached is what can be come to from some agents of a project.
type Reached struct {
	Programs []*dsl.Program // of the agents that compile, in the order in which they were found
	Errors   []Problem      // of those that do not
	Missing  []Missing      // each once for the agent that names it
}

// Missing is an agent that another one names, and that was not found.
type Missing struct {
	Problem // of the agent that names it
	To      string
}

// Reach compiles agents and all that these can hand over or delegate to. It asks for the source
// of each once, and ends when there is an error in finding one. That one of the first agents is
// not found is known to who was asked for it, and is not told.
func Reach(first []string, find func(agent string) (source string, ok bool, err error)) (Reached, error) {
	var out Reached
	there, firsts := map[string]bool{}, map[string]bool{}
	for _, agent := range first {
		firsts[agent] = true
	}
	namedBy := map[string][]need{} // agents that are named, by who names them
	for todo := first; len(todo) > 0; {
		agent := todo[0]
		todo = todo[1:]
		if _, asked := there[agent]; asked {
			continue
		}
		text, ok, err := find(agent)
		if err != nil {
			return out, err
		}
		if there[agent] = ok; !ok {
			continue
		}
		program, source := read(agent, text)
		if out.Errors = told(out.Errors, agent, source.Errors); program == nil {
			continue
		}
		out.Programs = append(out.Programs, program)
		for _, n := range source.needs {
			if n.kind == handoff || n.kind == delegate {
				namedBy[agent] = append(namedBy[agent], n)
				todo = append(todo[:len(todo):len(todo)], n.to) // never into what was given
			}
		}
	}
	for _, p := range out.Programs {
		told := map[string]bool{}
		for _, n := range namedBy[p.Agent] {
			if !there[n.to] && !firsts[n.to] && !told[n.to] {
				told[n.to] = true
				out.Missing = append(out.Missing, Missing{Problem{p.Agent, n.missing()}, n.to})
			}
		}
	}
	return out, nil
}
