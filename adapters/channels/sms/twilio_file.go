package sms

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// keeps has what came with messages, and leads to where it lies.
var keeps, leads = []string{"api.twilio.com"}, []string{".twilio.com", ".twiliocdn.com", "s3-external-1.amazonaws.com"}

// Fetch gets what came with a message by the account's login.
func (t *Twilio) Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error) {
	if err := t.Check(c); err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	return t.provider.File(ctx, f, wire.Place{Hosts: keeps, Beyond: leads, Login: func(r *http.Request) { r.SetBasicAuth(login(c)) }})
}
