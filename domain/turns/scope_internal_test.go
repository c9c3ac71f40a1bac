package turns

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsReadWithoutADecoderIsWhatADecoderReads(t *testing.T) {
	for _, raw := range []string{`0`, `7`, `4711`, `999999999999999999`, `9223372036854775807`, `9223372036854775808`, `-5`, `1.5`, `1e3`,
		`""`, `"a"`, `"Good day."`, `"ä"`, `"a\nb"`, `"\u00e4"`, `"say \"no\""`, `" "`, `true`, `false`, `null`, `{"a": 1}`, `["a", 2]`, ` 7 `} {
		assert.Equal(t, parsed(json.RawMessage(raw)), decoded(json.RawMessage(raw)), raw)
	}
}

func TestWhatIsNoJSONIsReadByTheDecoder(t *testing.T) {
	for _, raw := range []string{`"`, `"a`, `"a"b"`, `007`, `12x`, "\"\x01\"", `"\"`, `-`} {
		_, is := plainly(json.RawMessage(raw))
		assert.False(t, is, raw)
	}
}
