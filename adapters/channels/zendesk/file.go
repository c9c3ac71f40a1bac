package zendesk

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// keeps are where Zendesk keeps what people send: an address of it is one to read it by.
var keeps = []string{".smooch.io", ".zendesk.com", ".zdusercontent.com"}

// Fetch gets a file by the address that came.
func (z *Zendesk) Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error) {
	err := z.Check(c)
	if err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	provider, err := wire.At(name, cmp.Or(z.base, at(c)), "")
	if err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileRefused, Reason: err.Error()}
	}
	return provider.File(ctx, f, wire.Place{Beyond: keeps})
}
