// Package runtime carries out what deployments of workflows and tools ask for.
package runtime
