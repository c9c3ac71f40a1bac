package workspace

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// ownPages lets pages of the node itself use the public keys of the workspace, wherever it is reached:
// its page with the widget would be refused on another port than the usual one.
func ownPages(manifests []manifest.Manifest, at string) error {
	own, err := originsOf(at)
	if err != nil {
		return err
	}
	for i := range manifests {
		if manifests[i].Kind != "PublicKey" {
			continue
		}
		var spec map[string]json.RawMessage
		var pages []string
		if err := json.Unmarshal(manifests[i].Spec, &spec); err != nil {
			return fmt.Errorf("reading a public key of the example workspace: %w", err)
		}
		if err := json.Unmarshal(spec["allowedOrigins"], &pages); err != nil {
			return fmt.Errorf("reading the pages of a public key of the example workspace: %w", err)
		}
		for _, origin := range own {
			if !slices.Contains(pages, origin) {
				pages = append(pages, origin)
			}
		}
		spec["allowedOrigins"], _ = json.Marshal(pages)
		manifests[i].Spec, _ = json.Marshal(spec)
	}
	return nil
}

// originsOf are those of pages at an address. A machine's own has two names.
func originsOf(address string) ([]string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("reading the address of this node: %w", err)
	}
	names := []string{u.Hostname()}
	if names[0] == "127.0.0.1" || names[0] == "localhost" {
		names = []string{"127.0.0.1", "localhost"}
	}
	var out []string
	for _, name := range names {
		origin := url.URL{Scheme: u.Scheme, Host: name}
		if port := u.Port(); port != "" {
			origin.Host += ":" + port
		}
		out = append(out, origin.String())
	}
	return out, nil
}
