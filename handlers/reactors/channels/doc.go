// Package channels takes what people wrote by a channel to the agents, and hands what is said to them to the
// providers, draft by draft where a kind can show one; notes what became of it; sends the texts of campaigns; and has
// connections registered with their providers.
//
// It owns the order in which that is done. It never speaks a provider's language: adapters do.
package channels
