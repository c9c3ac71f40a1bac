package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhetherAStreamIsLikedMore(t *testing.T) {
	const stream = "text/event-stream"
	for accept, want := range map[string]bool{
		stream: true, "TEXT/EVENT-STREAM": true, stream + "; charset=utf-8": true, stream + ";q=0.1": true, stream + ";q=0.1, text/html": true,
		stream + ", application/json": true, "application/json;q=0.5, " + stream: true, stream + ";Q=0.9, application/json; q=0.8": true,
		"": false, "*/*": false, "text/*": false, "application/json": false, "application/json, " + stream: false,
		stream + ";q=0": false, stream + "; q=0.000": false, stream + ";q=0.1, application/json": false,
		stream + "; charset=utf-8; q=0.2, application/json;q=0.3": false,
	} {
		require.Equal(t, want, prefers([]string{accept}, stream), accept)
	}
	require.False(t, prefers([]string{"application/json", stream}, stream), "headers are one list")
}
