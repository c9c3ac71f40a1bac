// Package examples holds what a new installation can be tried with, embedded into
// the binary for `parley serve --dev`. It does nothing.
package examples

import _ "embed"

// Workspace is a set of manifests: one tenant with a project, a client, a scope, a
// trunk, an agent and two experience flows. Its secrets are for development only.
//
//go:embed workspace.yaml
var Workspace []byte

// WorkspaceFile is the name of Workspace in this folder.
const WorkspaceFile = "workspace.yaml"

// What Workspace defines, for those who fill in lines to paste; a test compares.
const (
	Account       = "acme"
	Org           = "acme-org"
	Project       = "acme-bot"
	Scope         = "as-acme-main"
	Caller        = "15550100" // chooses the flow whose agent takes the call
	SilentCaller  = "15550101" // chooses the flow without an agent
	Client        = "acme-console"
	ClientSecret  = "development-only-client-secret-of-acme-console"
	WebhookSecret = "development-only-webhook-secret-of-acme-bot"
)
