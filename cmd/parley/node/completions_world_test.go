package node_test

import (
	"testing"
)

const (
	completePath = "/api/v1/chat/complete"
	streamPath   = "/api/v1/chat/stream"
	usagePath    = "/api/v1/chat/usage?projectId=" + mainApp
)

// chatWorld is a tenant who asks models.
type chatWorld struct {
	*tenant
	auth string
}

func (w *chatWorld) ask(t *testing.T, method, path string, body any, headers ...string) *answer {
	t.Helper()
	return w.on.do(t, method, path, body, append([]string{"Authorization", "Bearer " + w.auth}, headers...)...)
}

func said(role, text string) fields { return fields{"role": role, "content": text} }

type shownCompletion struct {
	Content      string
	ToolCalls    []map[string]string
	Model        string
	FinishReason string
	Usage        map[string]*float64
	LatencyMs    *int64
}

type chatUsage struct {
	Success bool
	Summary map[string]float64
	ByModel []map[string]any
}
