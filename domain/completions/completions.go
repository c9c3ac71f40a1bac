// Package completions owns what a model was asked once, outside of any session: what is
// asked and answered, what it took and cost, and that it failed.
//
// On the log are figures alone. Nothing that was asked or said is in an event; the answer to
// a request with an Idempotency-Key is a file for seven days
// (docs/decisions/2026-11-24-completions.md). The package asks no model.
package completions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Completions holds one stream per completion: completion-<uuid>. It has one event, finished
// or failed, and another when a kept answer is dropped.
var Completions = event.NewAggregate[State]("completions", "completion", event.Busy)

// AnswerKept is for how long the answer to a request with an Idempotency-Key is there.
const AnswerKept = 7 * 24 * time.Hour

// State is the state of one completion.
type State struct {
	Ended    bool
	TenantID string
	Blob     string    // where the answer is; empty: it was never kept, or is dropped
	KeptTill time.Time // zero: it was never kept
}

// Figures are what both ends say.
type Figures struct {
	CompletionID string `json:"completionId"`
	TenantID     string `json:"tenantId"`
	ProjectID    string `json:"projectId"`
	SessionID    string `json:"sessionId,omitempty"` // as the caller said
	ModelID      string `json:"modelId,omitempty"`   // absent: no model began
	Provider     string `json:"provider,omitempty"`
	Model        string `json:"model,omitempty"` // that answered, as its provider calls it
	TokensIn     int64  `json:"tokensIn"`
	TokensOut    int64  `json:"tokensOut"`
	Estimated    bool   `json:"estimated,omitempty"` // nobody counted the tokens
	PriceVersion string `json:"priceVersion,omitempty"`
	Cost         *int64 `json:"cost"` // pico-dollars; null: the price is not known
	LatencyMs    int64  `json:"latencyMs"`
	Streamed     bool   `json:"streamed,omitempty"`
}

// Counted fills in what an answer took and cost.
func (f Figures) Counted(x Finish) Figures {
	f.ModelID, f.Provider, f.Model = x.Chosen.ModelID, x.Chosen.Provider, x.Model
	f.TokensIn, f.TokensOut, f.Estimated = x.Usage.TokensIn, x.Usage.TokensOut, x.Usage.Estimated
	f.PriceVersion, f.Cost = x.Pricing.Version, x.Pricing.Cost(x.Usage)
	if f.Cost == nil {
		f.PriceVersion = ""
	}
	return f
}

// end refuses what has ended: it was asked once.
func (s State) end() error {
	if s.Ended {
		return fault.New(fault.Conflict, "the completion has ended already")
	}
	return nil
}
