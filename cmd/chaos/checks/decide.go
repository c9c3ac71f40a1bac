package checks

import (
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// Decided checks that decide(fold(prefix), command) gives the recorded events, for
// the commands that their events tell: those of scopes, and the dial-out. Whoever
// decided on another state than the log had before it is found.
func Decided(f *Fold, out *Findings) {
	for stream, records := range f.Streams {
		switch {
		case strings.HasPrefix(stream, access.Scopes.Prefix+"-"):
			decided(access.Scopes, stream, records, scopeCommand, out)
		case strings.HasPrefix(stream, calls.Calls.Prefix+"-"):
			decided(calls.Calls, stream, records, callCommand, out)
		}
	}
}

// decided folds one stream and asks the domain again before each event that tells
// its command.
func decided[S any](agg *event.Aggregate[S], stream string, records []*eventstore.Record,
	command func(event.Payload) func(S) ([]event.Payload, error), out *Findings) {
	var state S
	for _, r := range records {
		p, err := agg.Decode(r.Type, r.Data)
		if err != nil {
			return // noted by the fold
		}
		if decide := command(p); decide != nil && r.CommitSize == 1 {
			got, err := decide(state)
			if err != nil || len(got) != 1 || !same(got[0], p) {
				out.Add("decide", "%s v%d (%s): decided again on the events before it gives %+v, %v; recorded is %+v", stream, r.Version, r.Type, got,
					err, p)
			}
		}
		agg.Fold(&state, p)
	}
}

func scopeCommand(p event.Payload) func(access.ScopeState) ([]event.Payload, error) {
	switch e := p.(type) {
	case access.KeyCreated:
		return access.CreateKey{KeyID: e.KeyID, Name: e.Name, Kind: e.Kind, Hash: e.Hash, DisplayPrefix: e.DisplayPrefix,
			AllowedOrigins: e.AllowedOrigins, At: e.CreatedAt, Limit: 1 << 30}.Decide
	case access.KeyRevoked:
		return access.RevokeKey{KeyID: e.KeyID, At: e.RevokedAt}.Decide
	case access.PermissionsChanged:
		wanted := map[string]string{}
		for name, value := range e.Changed {
			wanted[string(name)] = value
		}
		return access.ChangePermissions{Permissions: wanted, At: e.ChangedAt}.Decide
	}
	return nil
}

func callCommand(p event.Payload) func(calls.State) ([]event.Payload, error) {
	switch e := p.(type) {
	case calls.Requested:
		t := e.Timers
		return calls.DialOut{CallID: e.CallID, SID: e.SID, TenantID: e.TenantID, ProjectID: e.ProjectID, AccountID: e.AccountID, At: e.At,
			DialBy: e.DialBy,
			BotID:  e.BotID, Target: e.Target, OurNumber: e.OurNumber,
			NotifyURL: e.NotifyURL, NotifyURLSealed: e.NotifyURLSealed, NotifyHeadersSealed: e.NotifyHeadersSealed, TimeoutInMs: &e.TimeoutInMs,
			Trunk: e.Trunk, Provider: e.Provider, Metadata: e.Metadata, MachineDetection: string(e.MachineDetection),
			ThresholdWordCount: &e.ThresholdWordCount, Flow: e.Flow, Campaign: e.Campaign,
			Timers: calls.TimersGiven{NoSpeechTimeoutMs: &t.NoSpeechTimeoutMs, DecisionTimeoutMs: &t.DecisionTimeoutMs,
				ToneTimeoutMs: &t.ToneTimeoutMs, GreetingCompletionTimeoutMs: &t.GreetingCompletionTimeoutMs},
		}.Decide
	case calls.AttemptStarted:
		return calls.StartAttempt{AttemptID: e.AttemptID, SID: e.SID, Provider: e.Provider, Node: e.Node, At: e.At,
			LeaseUntil: e.LeaseUntil}.Decide
	}
	return nil
}
