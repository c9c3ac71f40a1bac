// Package runtime has the read models of AI agents and their versions, and of workflows and tools and their deployments: one
// file says what a model stores and how it is asked.
package runtime
