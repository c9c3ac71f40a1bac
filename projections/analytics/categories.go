package analytics

// Category is the kind of an analytics event (docs/decisions/2026-11-22-analytics.md).
type Category string

// The categories, by the names of the API.
const (
	Session    Category = "session"
	Message    Category = "message"
	LLM        Category = "llm"
	Tool       Category = "tool"
	Agent      Category = "agent"
	Gather     Category = "gather"
	Flow       Category = "flow"
	Channel    Category = "channel"
	Deployment Category = "deployment"
	Search     Category = "search"
	Voice      Category = "voice"
	Audit      Category = "audit"
	Evaluation Category = "evaluation"
	Feedback   Category = "feedback"
	System     Category = "system"
)
