package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest"
)

func TestTheTypeThatAFileIsSentAs(t *testing.T) {
	const own = "audio/wav"
	for want, accepted := range map[string][][]string{
		own: {nil, {""}, {"*/*"}, {"audio/*"}, {"text/html"}, {"application/octet-stream, audio/wav"},
			{"application/octet-stream", "*/*;q=0.1"}, {"AUDIO/WAV;q=0.5, application/octet-stream"}},
		rest.AnyBytes: {{"application/octet-stream"}, {"application/json, application/octet-stream;q=0.9"}, {"Application/Octet-Stream"}},
	} {
		for _, accept := range accepted {
			require.Equal(t, want, rest.MediaFor(accept, own), accept)
		}
	}
}
