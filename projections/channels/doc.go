// Package channels has the read models of connections to providers, channels of SDKs, text messages of
// campaigns, and what is delivered to people.
//
// It owns their tables: one file says what a model stores and how it is asked. It never asks a provider: reactors do.
package channels
