package node

import "github.com/parley-platform/parley/handlers/rest"

// fileLinks makes the signed addresses of files.
func (n *Node) fileLinks() rest.FileLinks {
	return rest.FileLinks{MAC: n.vault.MAC, Base: n.URL, Now: n.clock.Now}
}
