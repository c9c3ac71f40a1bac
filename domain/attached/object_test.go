package attached_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attached"
)

func TestWhatIsAnObject(t *testing.T) {
	for text, want := range map[string]bool{`{}`: true, ` {"a":{"b":1}} `: true, `{"a":1e999}`: true, `{"a":[{}]}`: false,
		`{"a":{"b":[]}}`: false, `{"a":"[[[["}`: true, ``: false, `[]`: false, `"{}"`: false, `{} {}`: false, `{"a"`: false, `null`: false} {
		require.Equal(t, want, attached.IsObject(json.RawMessage(text), 2), text)
	}
}
