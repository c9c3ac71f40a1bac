package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

const (
	largestMocks = 64 << 10 // bytes of all mocks of a turn, which its message has beside it
	longestMock  = 60_000   // milliseconds of delay
	mostMocked   = 1_000    // times that one answers
	longestError = 128
	longestWhen  = 1_000
)

// mocks are what answers in place of tools, as far as it can be read without the agents.
func (t *TestContext) mocks() ([]sessions.Mock, error) {
	var out []sessions.Mock
	size := 0
	for i, raw := range t.ToolMocks {
		field := fmt.Sprintf("testContext.toolMocks[%d]", i)
		if size += len(raw); size > largestMocks {
			return nil, fault.Field("testContext.toolMocks", "must be at most %d bytes together", largestMocks)
		}
		mock, err := readMock(field, raw)
		if err != nil {
			return nil, err
		}
		out = append(out, mock)
	}
	return out, nil
}

func readMock(field string, raw jsontext.Object) (sessions.Mock, error) {
	var m sessions.Mock
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&m) != nil {
		return m, fault.Field(field, "must be {tool, when, result or error, delayMs, times}")
	}
	switch {
	case m.Tool == "":
		return m, fault.Field(field+".tool", "is required")
	case m.Result != nil && m.Error != "":
		return m, fault.Field(field, "has result and error: take one of them away")
	case utf8.RuneCountInString(m.Error) > longestError:
		return m, fault.Field(field+".error", "may have at most %d characters", longestError)
	case utf8.RuneCountInString(m.When) > longestWhen:
		return m, fault.Field(field+".when", "may have at most %d characters", longestWhen)
	case m.DelayMs < 0 || m.DelayMs > longestMock:
		return m, fault.Field(field+".delayMs", "must be 0 to %d", longestMock)
	case m.Times < 0 || m.Times > mostMocked:
		return m, fault.Field(field+".times", "must be 0 to %d", mostMocked)
	}
	return m, nil
}
