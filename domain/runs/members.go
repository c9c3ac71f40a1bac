package runs

import (
	"encoding/json"

	"github.com/parley-platform/parley/domain/contactlists"
)

// Members are the contacts of a pass: the lists in the order in which the campaign
// names them, each in its stored order, a telephone number once. A list that is not
// there is passed over.
func Members(names []string, lists map[string][]contactlists.Contact) []contactlists.Contact {
	var out []contactlists.Contact
	seen := map[string]bool{}
	for _, name := range names {
		for _, c := range lists[name] {
			if !seen[c.PhoneNumber] {
				seen[c.PhoneNumber] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// Chunk is as many of the contacts, from the first on, as one event lists.
func Chunk(contacts []contactlists.Contact) []contactlists.Contact {
	size := 0
	for i, c := range contacts {
		data, _ := json.Marshal(c) // of what was read from JSON
		if size += len(data) + 1; i > 0 && size > chunkBytes || i == MaxChunk {
			return contacts[:i]
		}
	}
	return contacts
}
