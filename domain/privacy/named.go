package privacy

import (
	"fmt"
	"slices"

	"github.com/parley-platform/parley/domain/fault"
)

// MaxIdentities is how many a request may name.
const MaxIdentities = 20

// Named is what the identities of a request spell, each once; the error names those that
// spell nothing (fields identities[n]).
func Named(raw []Identity) (identities []Identity, err error) {
	var f fault.Fields
	if n := len(raw); n == 0 || n > MaxIdentities {
		f.Add("identities", "must be 1 to %d", MaxIdentities)
		return nil, f.Err()
	}
	for n, i := range raw {
		if !slices.Contains(Kinds(), i.Kind) {
			f.Add(fmt.Sprintf("identities[%d].kind", n), "must be one of %v", Kinds())
			continue
		}
		known, problem := Normal(i.Kind, i.Value)
		switch {
		case problem != "":
			f.Add(fmt.Sprintf("identities[%d].value", n), "%s", problem)
		case !slices.Contains(identities, known):
			identities = append(identities, known)
		}
	}
	return identities, f.Err()
}
