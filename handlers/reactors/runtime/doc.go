// Package runtime carries out what deployments of workflows and tools ask for, and what the
// timers of the agent runtime stand for: deployments that drain, sessions in which nobody
// talks any more, answers that were kept.
package runtime
