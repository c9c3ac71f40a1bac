package workspace

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
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
	hosts := []string{u.Host}
	switch u.Hostname() {
	case "127.0.0.1":
		hosts = append(hosts, strings.Replace(u.Host, "127.0.0.1", "localhost", 1))
	case "localhost":
		hosts = append(hosts, strings.Replace(u.Host, "localhost", "127.0.0.1", 1))
	}
	var out []string
	for _, host := range hosts {
		if origin, ok := access.NormalOrigin(u.Scheme + "://" + host); ok {
			out = append(out, origin)
		}
	}
	return out, nil
}
