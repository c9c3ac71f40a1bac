package channels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

func TestWhatIsSaidInTheAgentsPlace(t *testing.T) {
	for language, want := range map[string]string{"": "One moment, please.", "de-AT": "Einen Moment, bitte.", "PT": "Um momento, por favor.",
		"tlh": "One moment, please."} {
		require.Equal(t, want, channels.OneMoment(language), language)
	}
	require.Contains(t, channels.NobodyAnswers("fr-CA"), "personne ne peut")
}
