package kafka

import (
	"errors"
	"net"

	kafkago "github.com/segmentio/kafka-go"
)

// Away tells whether an error says that the brokers cannot be asked yet: nobody
// listens, the name is not known, or they do not agree yet on who leads what. A login
// or a certificate that is refused is an answer, and not meant.
func Away(err error) bool {
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
