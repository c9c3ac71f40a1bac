package kafka

import (
	"context"
	"errors"
	"net"

	kafkago "github.com/segmentio/kafka-go"
)

// unanswered says that brokers which had been reached did not answer in time.
type unanswered struct{ error }

// Unwrap is what was not answered.
func (u unanswered) Unwrap() error { return u.error }

// inTime marks what was not answered in time.
func inTime(err error) error {
	var network net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout() {
		return unanswered{err}
	}
	return err
}

// unsaid marks a code that is none of a broker's: by it the client tells that, of several requests which it sent as one,
// this one was not answered, and not why. A broker that says so itself does not know either.
func unsaid(err error) error {
	if errors.Is(err, kafkago.Unknown) {
		return unanswered{err}
	}
	return err
}

// Late tells whether brokers that had been reached did not answer all in time, as on a machine
// that is too busy: to open the log once more goes on from there.
func Late(err error) bool {
	var u unanswered
	return errors.As(err, &u)
}

// Away tells whether an error says that the brokers cannot be asked yet: nobody
// listens, the name is not known, they do not agree yet on who leads what, or they are
// Late. A login or a certificate that is refused is an answer, and not meant.
func Away(err error) bool {
	if Late(err) {
		return true
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return true
	}
	var code kafkago.Error
	if errors.As(err, &code) {
		return code.Temporary()
	}
	var name *net.DNSError
	return errors.As(err, &name)
}
