// Package keyring owns the data keys that personal members of events are sealed with: it
// makes them ahead, in lots, follows the topic on which they stand wrapped by the master key,
// finds one by its id, and tells a key that was erased from one that is lost
// (docs/decisions/2026-11-23-sealed-members.md).
//
// A key is on the topic before anything is sealed with it, so whoever meets its id finds it
// there. A key that is erased leaves a record that says so; there is no way back from it,
// whatever comes later. It never knows what is sealed with a key.
package keyring
