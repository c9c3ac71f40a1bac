// Package runtime has the operations on AI agents, the sessions in which they talk, the
// secrets of tools and contacts, and those by which workflows and tools are deployed.
//
// Each says its path, its requirement, its input and its output; what is the same for
// all is in the core (package rest). It decides nothing: the domain does.
package runtime
