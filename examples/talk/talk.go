// Package talk holds a page on which somebody talks to an agent: one file, that asks the node for a token
// and brings it an offer. It does nothing.
package talk

import _ "embed"

// Page is what a node with --dev serves as /talk/.
//
//go:embed index.html
var Page []byte
