package contactcenter

import (
	"context"
	"io"
	"time"
)

// Transcriber makes text of speech. Implementations are safe for concurrent use.
type Transcriber interface {
	// Transcribe reads the audio to its end; closing it is the caller's. An error is a
	// fault whose message is safe to show: SERVICE_UNAVAILABLE and RATE_LIMIT_EXCEEDED
	// (with Retry where the provider said it) are worth another try with the audio from
	// its beginning, VALIDATION_ERROR (not audio, too large) is not.
	Transcribe(ctx context.Context, a Audio) (Transcript, error)
}

// Audio is one recording.
type Audio struct {
	Name        string // of the file; its extension tells providers the format
	ContentType string // such as audio/wav
	Data        io.Reader
	Language    string // that is spoken, such as en or en-US; empty: the provider finds out
}

// Transcript is what was said.
type Transcript struct {
	Text     string
	Language string // empty when nobody said and nobody found out
	Provider string // local: made by rules
	Model    string // empty with local

	TokensIn, TokensOut int64         // as the provider counted them; zero: it did not
	Charged             time.Duration // of audio, by a provider that counts that instead
}
