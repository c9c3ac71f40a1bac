package platform

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/webhooks"
	"github.com/parley-platform/parley/eventstore"
)

// WebhookSecrets opens what the events hold sealed.
type WebhookSecrets interface {
	// WebhookSecrets are the project's secrets in force, newest first.
	WebhookSecrets(ctx context.Context, tenantID, projectID string) ([][]byte, error)
	// OpenURL unseals the URL that a caller gave.
	OpenURL(ctx context.Context, tenantID, sealed string) (string, error)
	// OpenHeaders unseals the caller's headers.
	OpenHeaders(ctx context.Context, tenantID, sealed string) (map[string]string, error)
}

// WebhookPost is one attempt as it goes out. Its fields are those of the
// client's request, so that one converts to the other.
type WebhookPost struct {
	URL        string
	Headers    map[string]string
	Body       []byte
	Secrets    [][]byte
	DeliveryID string // the notice's id, the same on every attempt
	Attempt    int    // from 1
}

// WebhookAnswer is what came of it; Err is nil exactly when it is delivered, and
// its text is fit for an event.
type WebhookAnswer struct {
	Status     int
	Retryable  bool
	RetryAfter time.Duration
	Err        error
}

// Deliverer delivers the notices of the deliveries streams. It errs on the side of
// at least once: a node that dies between an attempt and its record makes the
// attempt again, under the same delivery id.
type Deliverer struct {
	Store   *eventstore.Store
	Secrets WebhookSecrets
	Post    func(context.Context, WebhookPost) WebhookAnswer // one attempt of at most 10 s
	Now     func() time.Time
	Backoff func(attempt int) time.Duration // the pause after that attempt failed; WebhookBackoff
	Log     *slog.Logger

	turns    turns
	unproven unproven
}

// Changed is called for every accepted event after which a stream may want an
// attempt: enqueued, attempt-due, delivered, undelivered. It makes the one that
// the stream wants, if any, and records its outcome. An error is a fault of the
// store, or the end of ctx: the message is to be delivered again.
//
// Two messages of one stream at once go one after the other, so the second sees
// what the first recorded and sends nothing twice.
func (s *Deliverer) Changed(ctx context.Context, stream string) error {
	leave, err := s.turns.enter(ctx, stream)
	if err != nil {
		return err
	}
	defer leave()
	read, err := eventstore.Read(ctx, s.Store, webhooks.Deliveries, stream)
	if err != nil {
		return fmt.Errorf("loading %s: %w", stream, err)
	}
	attempt, wanted := webhooks.Wanted(read.State)
	if !wanted {
		s.unproven.drop(stream)
		return nil
	}
	record, err := s.outcome(ctx, stream, attempt)
	if err != nil {
		return err
	}
	cmd := eventstore.Command{Actor: "reactor:webhook-sender", RequestID: attemptRequestID(stream, attempt)}
	if _, err := eventstore.Execute(ctx, s.Store, webhooks.Deliveries, stream, cmd, record); err != nil {
		return fmt.Errorf("recording attempt %d of %s on %s: %w", attempt.Number, attempt.NoticeID, stream, err)
	}
	s.unproven.drop(stream)
	return nil
}

// attemptRequestID makes the record of an attempt the same command however often it is
// sent: whichever outcome lands first is the attempt's.
func attemptRequestID(stream string, a webhooks.Attempt) string {
	return eventstore.CauseID("webhook-sender", stream, fmt.Sprintf("webhook-sender/%s/%s/%d", stream, a.NoticeID, a.Number))
}

// attemptRecord is the command that an attempt ends in.
type attemptRecord = func(webhooks.State) ([]event.Payload, error)

// outcome makes the attempt, unless it was made before and only its record
// failed: a log that is away for a while must not make us knock every second.
func (s *Deliverer) outcome(ctx context.Context, stream string, a webhooks.Attempt) (attemptRecord, error) {
	if known := s.unproven.get(stream, a); known != nil {
		return known, nil
	}
	if now := s.Now(); now.After(a.Deadline) {
		return webhooks.GiveUp{NoticeID: a.NoticeID, At: now}.Decide, nil
	}
	post, problem, err := s.prepare(ctx, a)
	if err != nil {
		return nil, err
	}
	answer := WebhookAnswer{Err: errors.New(problem), Retryable: true}
	if problem == "" {
		answer = s.Post(ctx, post)
	}
	if err := ctx.Err(); err != nil && answer.Err != nil {
		return nil, err // our own end, not the receiver's fault
	}
	made := s.judge(a, answer)
	s.unproven.keep(stream, a, made)
	return made, nil
}

// prepare opens the secrets. A problem that a repeated message would not solve
// is an attempt that failed: its timer tries again, and its deadline ends it.
func (s *Deliverer) prepare(ctx context.Context, a webhooks.Attempt) (post WebhookPost, problem string, err error) {
	secrets, err := s.Secrets.WebhookSecrets(ctx, a.TenantID, a.ProjectID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return post, "", fmt.Errorf("reading the webhook secrets of project %s: %w", a.ProjectID, err)
	}
	if len(secrets) == 0 {
		return post, "the project has no webhook secret", nil
	}
	url := a.URL
	if a.URLSealed != "" {
		if url, err = s.Secrets.OpenURL(ctx, a.TenantID, a.URLSealed); err != nil {
			s.Log.Error("the URL of a notice cannot be opened", "tenant", a.TenantID, "notice", a.NoticeID, "error", err)
			return post, "the notice's URL cannot be opened", nil
		}
	}
	var headers map[string]string
	if a.HeadersSealed != "" {
		if headers, err = s.Secrets.OpenHeaders(ctx, a.TenantID, a.HeadersSealed); err != nil {
			s.Log.Error("the headers of a notice cannot be opened", "tenant", a.TenantID, "notice", a.NoticeID, "error", err)
			return post, "the notice's headers cannot be opened", nil
		}
	}
	return WebhookPost{URL: url, Headers: headers, Body: a.Body, Secrets: secrets, DeliveryID: a.NoticeID, Attempt: a.Number}, "", nil
}

func (s *Deliverer) judge(a webhooks.Attempt, answer WebhookAnswer) attemptRecord {
	if answer.Err == nil {
		return webhooks.RecordSuccess{NoticeID: a.NoticeID, Attempt: a.Number, Status: answer.Status, At: s.Now()}.Decide
	}
	return webhooks.RecordFailure{
		NoticeID: a.NoticeID, Attempt: a.Number, At: s.Now(), Status: answer.Status, Error: answer.Err.Error(),
		Retryable: answer.Retryable, Delay: max(s.Backoff(a.Number), answer.RetryAfter),
	}.Decide
}

// WebhookBackoff is the pause after a failed attempt: about 2 s, 4 s, 8 s ... and
// from the eighth on 200 s, each half as long or half as much again at random so
// that receivers coming back are not met by everyone at once. It never exceeds
// webhooks.MaxDelay and makes about two dozen attempts in an hour.
func WebhookBackoff(attempt int) time.Duration {
	delays := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(2*time.Second), backoff.WithMultiplier(2), backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxInterval(webhooks.MaxDelay*2/3), backoff.WithMaxElapsedTime(0))
	for range min(attempt, 16) - 1 { // by then it has long stopped growing
		delays.NextBackOff()
	}
	return delays.NextBackOff()
}
