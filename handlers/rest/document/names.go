package document

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// ends of names as the code has them, and as those who use a client read them.
var ends = []struct{ have, want string }{
	{"OutBody", "Result"}, {"InBody", "Request"}, {"Body", "Request"}, {"Data", ""}, {"Given", "Input"}, {"Struct", ""},
}

// others are names that are clear only where their packages are named beside them.
var others = map[string]string{
	"rest.RefusalBody":   "Fault",
	"fault.Detail":       "FieldFault",
	"calls.TimersGiven":  "DetectionTimers",
	"conversations.Tag":  "SessionTag",
	"queues.Agent":       "QueueAgent",
	"humanagents.Group":  "AgentGroup",
	"humanagents.Layout": "AgentLayout",
	"humanagents.Skill":  "AgentSkill",

	"humanagents.Language": "AgentLanguage",
}

// Name is the name of a type's schema. What an operation is given is a Request, and what
// it answers a Result, if it has no better name.
func Name(t reflect.Type, hint string) string {
	if other, ok := others[t.String()]; ok {
		return other
	}
	name := huma.DefaultSchemaNamer(t, hint)
	for _, end := range ends {
		if stem, ok := strings.CutSuffix(name, end.have); ok && stem != "" {
			return stem + end.want
		}
	}
	return name
}
