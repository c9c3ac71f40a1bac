// Package voice does what calls need done: it dials, follows a leg until it has ended,
// asks a carrier about a call whose node died, binds calls to sessions and writes the
// notices of hooks. It decides nothing: the calls' own rules (domain/calls) do.
package voice
