// Package runtime has the read models of workflows and tools and their deployments: one file says what a model stores and how it
// is asked.
package runtime
