package threads

import "github.com/parley-platform/parley/domain/event"

// Exchange is a message of which somebody asks what became of it, with what was said to it.
type Exchange struct {
	Received
	Fate    Fate
	Replies []Queued
}

// Reaches is whether an event is a message, or one before it: all that concerns the message comes behind.
func Reaches(number int) func(event.Payload) bool {
	return func(p event.Payload) bool {
		e, is := p.(Received)
		return is && e.Number <= number
	}
}

// ExchangeOf finds a message among the events of its conversation.
func ExchangeOf(events []event.Payload, number int) (x Exchange, is bool) {
	var fates Fates
	for _, e := range events {
		fates.Told(e)
		switch e := e.(type) {
		case Received:
			if e.Number == number && e.Asked {
				x.Received, is = e, true
				fates.Follow(e)
			}
		case Queued:
			if is && e.Answers == number {
				x.Replies = append(x.Replies, e)
			}
		}
	}
	x.Fate = fates.Of(number)
	return x, is
}
