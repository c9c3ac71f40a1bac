// Package runtime has the read models of the agent runtime: agents and their versions, deployments, workflows
// and tools, sessions as they are listed, completions, contacts, memories, secrets and tests.
//
// It owns their tables: one file says what a model stores and how it is asked. It never opens a secret.
package runtime
