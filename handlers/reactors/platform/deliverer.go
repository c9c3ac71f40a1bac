package platform

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	platformmodels "github.com/parley-platform/parley/projections/platform"
)

// webhookSecrets opens what the events hold sealed.
type webhookSecrets interface {
	// WebhookSecrets are the project's secrets in force, newest first.
	WebhookSecrets(ctx context.Context, tenantID, projectID string) ([][]byte, error)
	// OpenURL unseals the URL that a caller gave.
	OpenURL(ctx context.Context, tenantID, sealed string) (string, error)
	// OpenHeaders unseals the caller's headers.
	OpenHeaders(ctx context.Context, tenantID, sealed string) (map[string]string, error)
}

// Deliverer delivers the notices of the deliveries streams. It errs on the side of
// at least once: a node that dies between an attempt and its record makes the
// attempt again, under the same delivery id.
type Deliverer struct {
	Store   *eventstore.Store
	Secrets webhookSecrets
	Post    func(context.Context, deliveries.Post) deliveries.Answer // one attempt of at most 10 s
	Now     func() time.Time
	Log     *slog.Logger
}

// Attempts declares it. A stream may want an attempt after a notice was enqueued, when
// one is due, and when the notice before it has ended.
func (d Deliverer) Attempts() *reactors.Attempts[deliveries.State] {
	return &reactors.Attempts[deliveries.State]{Name: "webhook-sender", Of: deliveries.Deliveries, Timer: platformmodels.AttemptTimer,
		Events: []event.Payload{deliveries.Enqueued{}, deliveries.AttemptDue{}, deliveries.Delivered{}, deliveries.Undelivered{},
			deliveries.Withdrawn{}},
		Side: reactors.AtLeastOnce, Rules: deliveries.Attempts, Do: d.deliver, Within: 20 * time.Second,
		Problem: "the receiver did not answer in time", Command: deliveryCommand, Store: d.Store, Now: d.Now, Log: d.Log}
}

// deliveryCommand names an attempt as it was before there was one machine.
func deliveryCommand(e reactors.Event, _ reactors.Step, s deliveries.State) eventstore.Command {
	return eventstore.Command{Actor: "reactor:webhook-sender", RequestID: eventstore.CauseID("webhook-sender", e.Stream,
		"webhook-sender/"+e.Stream+"/"+deliveries.Attempts.NameOf(s))}
}

// deliver sends the notice at the head, unless its time is over.
func (d Deliverer) deliver(ctx context.Context, s deliveries.State) (attempt.Decision[deliveries.State], error) {
	n := s.Head()
	if now := d.Now(); now.After(n.Deadline) {
		return deliveries.GiveUp{NoticeID: n.ID, At: now}.Decide, nil
	}
	post, err := d.prepare(ctx, n)
	if err != nil {
		return nil, err
	}
	answer := d.Post(ctx, post)
	if answer.Err == nil {
		return deliveries.RecordSuccess{NoticeID: n.ID, Attempt: n.Attempt.Number, Status: answer.Status, At: d.Now()}.Decide, nil
	}
	if ctx.Err() != nil { // our own end, not the receiver's fault
		return nil, ctx.Err()
	}
	return deliveries.RecordFailure{NoticeID: n.ID, Status: answer.Status, Failure: attempt.Failure{Number: n.Attempt.Number, At: d.Now(),
		Reason: answer.Err.Error(), Final: !answer.Retryable,
		Pause: max(reactors.Pause(deliveries.Attempts.Backoff, n.Attempt.Number), answer.RetryAfter)}}.Decide, nil
}

// prepare opens the secrets. A problem that a repeated event would not solve is an attempt
// that failed: its timer tries again, and its deadline ends it.
func (d Deliverer) prepare(ctx context.Context, n deliveries.Notice) (post deliveries.Post, err error) {
	secrets, err := d.Secrets.WebhookSecrets(ctx, n.TenantID, n.ProjectID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return post, reactors.NotMade(fmt.Errorf("reading the webhook secrets of project %s: %w", n.ProjectID, err))
	}
	if len(secrets) == 0 {
		return post, fault.New(fault.Unavailable, "the project has no webhook secret")
	}
	url := n.URL
	if n.URLSealed != "" {
		if url, err = d.Secrets.OpenURL(ctx, n.TenantID, n.URLSealed); err != nil {
			return post, fault.New(fault.Unavailable, "the notice's URL cannot be opened").Because(err)
		}
	}
	var headers map[string]string
	if n.HeadersSealed != "" {
		if headers, err = d.Secrets.OpenHeaders(ctx, n.TenantID, n.HeadersSealed); err != nil {
			return post, fault.New(fault.Unavailable, "the notice's headers cannot be opened").Because(err)
		}
	}
	return deliveries.Post{URL: url, Headers: headers, Body: n.Body, Secrets: secrets, DeliveryID: n.ID, Attempt: n.Attempt.Number}, nil
}
