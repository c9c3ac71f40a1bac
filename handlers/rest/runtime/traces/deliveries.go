package traces

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/handlers/rest"
	channelmodels "github.com/parley-platform/parley/projections/channels"
)

// deliveryReader knows what was said back by channels in a session, and what became of it.
type deliveryReader interface {
	OfSession(ctx context.Context, tenant, session string) ([]channelmodels.Delivery, error)
}

// ofDelivery is the type of events that say what became of a reply by a channel.
const ofDelivery = "delivery"

// traced is an event of a trace, once it is shown.
type traced struct {
	at    time.Time
	agent string // who was at it; empty: none is named
	show  func() TracedEvent
}

// withDeliveries adds what became of what was said, each where it ended, or else where it began to wait.
// They are of the session itself: the turn does not wait for them.
func (x API) withDeliveries(ctx context.Context, tenant, session string, all []traced, in *tracesIn) ([]traced, error) {
	if in.EventType != "" && in.EventType != ofDelivery || in.Decision != "" || in.SpanID != "" && in.SpanID != session {
		return all, nil
	}
	found, err := x.Deliveries.OfSession(ctx, tenant, session)
	if err != nil {
		return nil, err
	}
	replies := make([]traced, len(found))
	for i, d := range found {
		at := d.QueuedAt
		if d.EndedAt != nil {
			at = *d.EndedAt
		}
		replies[i] = traced{at, "", func() TracedEvent { return ofReply(session, d, at) }}
	}
	slices.SortStableFunc(replies, func(a, b traced) int { return a.at.Compare(b.at) })
	return among(all, replies), nil
}

// among puts replies between what else happened, which stays in the order of the log.
func among(all, replies []traced) (out []traced) {
	for _, t := range all {
		for len(replies) > 0 && replies[0].at.Before(t.at) {
			out, replies = append(out, replies[0]), replies[1:]
		}
		out = append(out, t)
	}
	return append(out, replies...)
}

func ofReply(session string, d channelmodels.Delivery, at time.Time) TracedEvent {
	id := d.ThreadID + "." + strconv.Itoa(d.Reply)
	data := map[string]any{"deliveryId": id, "messageId": d.MessageID, "status": string(d.Status), "attempts": d.Attempts, "parts": d.Parts,
		"partsSent": d.PartsSent}
	for name, word := range map[string]string{"code": d.Code, "reason": d.Reason, "state": d.State} {
		if word != "" {
			data[name] = word
		}
	}
	return TracedEvent{ID: id, Type: ofDelivery, SpanID: session, Timestamp: rest.ISOTime(&at), Data: data}
}
