package event

import "time"

// ErasedName is the name that the event has in every category that has it.
const ErasedName = "erased"

// Erasure is the whole of an event that says that somebody who stands in the stream was
// erased. Without keys it is the customer whom the stream is about: all that was sealed with
// the stream's key until here is gone. With keys it is those who have a key of their own in
// it, such as a contact of a list, and nobody else.
//
// A category with members of customers has such an event, registered as ErasedName. Its
// Apply changes nothing: the store folds the events before it as if the keys were gone,
// whether they are yet or not (docs/decisions/2026-11-23-erasing.md).
type Erasure struct {
	ErasureID string    `json:"erasureId"`      // the job that did it
	Keys      []string  `json:"keys,omitempty"` // of whom alone it is; absent: the stream's own
	At        time.Time `json:"at"`
}

// Erased is implemented by the events that embed an Erasure.
type Erased interface{ Erased() Erasure }

// Erased implements the interface of that name.
func (e Erasure) Erased() Erasure { return e }

// Erases reports whether a type is that of an erasure in the category.
func (c *Category) Erases(ceType string) bool {
	k := c.kinds[ceType]
	return k != nil && k.Name == ErasedName
}
