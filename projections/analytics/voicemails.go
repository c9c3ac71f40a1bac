package analytics

import "github.com/parley-platform/parley/domain/voicemails"

var (
	_ = On(Voice, "", func(_ At, e voicemails.Recorded) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, SessionID: e.SessionID, Channel: "voice"}, Remember: true,
			Duration: Milliseconds(e.DurationMs),
			Metadata: map[string]any{"voicemailId": e.VoicemailID, "source": e.Source, "sizeBytes": e.SizeBytes}}
	})
	_ = On(Voice, "", func(_ At, e voicemails.Transcribed) Entry {
		// Only the first transcript took as long as the voicemail is old.
		entry := Entry{Lifetime: e.Round == 0, Model: e.Model, TokensIn: e.TokensIn, TokensOut: e.TokensOut,
			Metadata: map[string]any{"language": e.Language, "provider": e.Provider}}
		if e.Model != "" {
			entry.Metadata["model"] = e.Model
		}
		if e.ChargedMs > 0 {
			entry.Metadata["chargedMs"] = e.ChargedMs
		}
		return entry
	})
	_ = On(Voice, "", func(_ At, e voicemails.TranscriptionAsked) Entry {
		return Entry{Metadata: map[string]any{"round": e.Round}}
	})
	_ = On(Voice, "", func(_ At, e voicemails.TranscriptionAttemptFailed) Entry {
		return Entry{Error: e.Reason, Metadata: map[string]any{"attempt": e.Attempt}}
	})
	_ = On(Voice, "", func(_ At, e voicemails.TranscriptionFailed) Entry {
		return Entry{Error: e.Reason, Metadata: map[string]any{"attempts": e.Attempts}}
	})
	_ = Ignore[voicemails.TranscriptionDue]("the attempt itself tells how it went")
)
