package graph

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// keeps are the hosts of Meta that keep files by an id; leads are those that keep the others, at
// addresses that need no token.
var keeps, leads = []string{"lookaside.fbsbx.com"}, []string{".fbsbx.com", ".fbcdn.net", ".cdninstagram.com", ".whatsapp.net"}

// Open gets a file at an address that Meta gave, which is a secret of its own.
func (a *API) Open(ctx context.Context, f channels.File) (channels.Fetched, error) {
	return a.hosts[Facebook].File(ctx, f, wire.Place{Beyond: leads})
}

// Fetch asks where a file is that has an id, and gets it there with the token: the address is good for
// some minutes.
func (a *API) Fetch(ctx context.Context, by Account, f channels.File) (channels.Fetched, error) {
	answer, none, ok := a.ask(ctx, by, http.MethodGet, "/"+url.PathEscape(f.ID), "")
	if !ok {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileAway, Reason: none.Reason, Again: true}
	}
	known, err := fileOf(answer)
	if err != nil {
		return channels.Fetched{}, err
	}
	f.URL = known
	return a.hosts[by.Host].File(ctx, f, wire.Place{Hosts: keeps, Beyond: leads, Login: by.login})
}

// fileOf is where Meta says that a file is.
func fileOf(answer wire.Answer) (address string, err error) {
	var a struct {
		URL string `json:"url"`
		answered
	}
	readable := json.Unmarshal(answer.Body, &a) == nil
	away := &channels.Unfetched{Code: channels.FileAway, Reason: "Meta does not tell of the file at the moment", Again: true,
		RetryAfter: answer.RetryAfter}
	switch status := answer.Status; {
	case status == http.StatusTooManyRequests, status/100 == 5, !readable:
		return "", away
	case a.Error == nil && a.URL != "":
		return a.URL, nil
	case a.Error != nil && (rates[a.Error.Code] || doubtful[a.Error.Code] || a.Error.Transient):
		return "", away
	case a.Error != nil && ofAccount[a.Error.Code], status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "", &channels.Unfetched{Code: channels.FileDenied, Reason: "Meta does not accept the credentials for the file"}
	}
	return "", &channels.Unfetched{Code: channels.FileGone, Reason: "Meta has no such file, or does not give it"}
}
