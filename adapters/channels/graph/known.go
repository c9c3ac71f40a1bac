package graph

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/parley-platform/parley/domain/channels"
)

// Known asks Meta whether the token is one for what has an id: a number, a page, an account. Nothing
// happens there. Taken is yes.
func (a *API) Known(ctx context.Context, by Account, id string) channels.Outcome {
	answer, none, ok := a.ask(ctx, by, http.MethodGet, "/"+id+"?fields=id", "")
	if !ok {
		return none
	}
	var known struct {
		ID string `json:"id"`
	}
	if answer.Status == http.StatusOK && json.Unmarshal(answer.Body, &known) == nil && known.ID != "" {
		return channels.Outcome{Status: channels.Taken}
	}
	return outcomeOf(answer)
}
