// Package sealed owns the form in which personal members of events stand on the log: which
// member is sealed with which key, how a sealed member is spelled, how it is opened, and what
// stands in its place when its key is gone (docs/decisions/2026-11-23-sealed-members.md).
//
// It never keeps a key and never asks anybody for one over a network: who seals brings the
// keys, who opens brings a way to find them.
package sealed
