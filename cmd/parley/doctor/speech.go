package doctor

import (
	"context"
	"os"

	"github.com/parley-platform/parley/adapters/speech"
)

// speaks looks whether a node on this machine could speak on calls, with the provider that the
// environment names.
func speaks(ctx context.Context, x *examination) error {
	switch by := os.Getenv("PARLEY_SPEECH_PROVIDER"); by {
	case "", speech.ProviderLocal:
		e, err := speech.NewEspeak(ctx)
		if err != nil {
			x.find(warning, "speech", "apt-get install espeak-ng, or start nodes with --speech-provider openai: agents are not heard on calls "+
				"that have sound", "%s", err)
			return nil
		}
		x.find(fine, "speech", "", "agents speak on calls by %s", e.Voice("en"))
	default:
		x.find(fine, "speech", "", "agents speak on calls by %s, which is not asked", by)
	}
	return nil
}
