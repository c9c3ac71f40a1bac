package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

// Given a button, a select and an input that were said, then only the input has a type: the log has one for all of them.
func TestOnlyInputsHaveAType(t *testing.T) {
	got := runtime.MessageOf(sessions.Said{MessageID: "m-1", Agent: "A", Text: "Which?", Rich: []sessions.Element{
		{Kind: "button", ID: "yes", Label: "Yes", InputType: "text"},
		{Kind: "select", ID: "size", Label: "Size", InputType: "text", Options: []sessions.Choice{{ID: "s", Label: "Small"}}},
		{Kind: "input", ID: "age", Label: "Age", InputType: "number", Required: true}}})
	require.Equal(t, []runtime.ChatElement{{Kind: "button", ID: "yes", Label: "Yes"},
		{Kind: "select", ID: "size", Label: "Size", Options: []runtime.ChatOption{{ID: "s", Label: "Small"}}},
		{Kind: "input", ID: "age", Label: "Age", InputType: "number", Required: true}}, got.RichContent)
}
