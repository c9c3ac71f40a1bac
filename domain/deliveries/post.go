package deliveries

import "time"

// Post is one attempt as it goes out.
type Post struct {
	URL        string
	Headers    map[string]string // the caller's; reserved ones are passed over
	Body       []byte            // JSON; signed and sent as it is
	Secrets    [][]byte          // webhook secrets in force, newest first; one v1 each
	DeliveryID string            // the notice's id, the same on every attempt
	Attempt    int               // from 1
}

// Answer is what came of it. Err is nil exactly when the notice is delivered; its text is
// short, fit for an event, and holds neither URL, header nor secret.
type Answer struct {
	Status     int           // HTTP status; 0 when there was no answer
	Retryable  bool          // another attempt may help
	RetryAfter time.Duration // the least pause the receiver asked for; 0 when it did not
	Err        error
}
