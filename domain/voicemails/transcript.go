package voicemails

import (
	"io"
	"time"
)

// Audio is one recording as it is listened to.
type Audio struct {
	Name        string // of the file; its extension tells providers the format
	ContentType string // such as audio/wav
	Data        io.Reader
	Language    string // that is spoken, such as en or en-US; empty: the provider finds out
}

// Transcript is what was said.
type Transcript struct {
	Text     string
	Language string // that was heard; empty: nobody said and nobody found out
	Provider string // local: made by rules
	Model    string // empty with local

	TokensIn, TokensOut int64         // as the provider counted them; zero: it did not
	Charged             time.Duration // of audio, by a provider that counts that instead
}
