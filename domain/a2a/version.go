package a2a

import "strings"

// Version is how it is spelled.
type Version string

// The versions that are spoken. A request that names none has the older one.
const (
	V03 Version = "0.3"
	V1  Version = "1.0"
)

// VersionHeader is the header, and the parameter of a query, that names the version of a request.
const VersionHeader = "A2A-Version"

// VersionOf reads it: major and minor count.
func VersionOf(named string) (Version, *Error) {
	named = strings.TrimSpace(named)
	parts := strings.SplitN(named, ".", 3)
	if len(parts) == 3 {
		named = parts[0] + "." + parts[1]
	}
	switch Version(named) {
	case "", V03:
		return V03, nil
	case V1:
		return V1, nil
	}
	return V03, Refuse(VersionNotSupported, "the version is not spoken here: %s are", strings.Join([]string{string(V03), string(V1)}, " and "))
}

// Method is what a request wants.
type Method string

// The methods, as 1.0 calls them.
const (
	SendMessage Method = "SendMessage"
	Stream      Method = "SendStreamingMessage"
	GetTask     Method = "GetTask"
	ListTasks   Method = "ListTasks"
	CancelTask  Method = "CancelTask"
	Subscribe   Method = "SubscribeToTask"
	SetPush     Method = "CreateTaskPushNotificationConfig"
	GetPush     Method = "GetTaskPushNotificationConfig"
	ListPushes  Method = "ListTaskPushNotificationConfigs"
	DeletePush  Method = "DeleteTaskPushNotificationConfig"
	GetCard     Method = "GetExtendedAgentCard"
)

// older are those of 0.3, which has no list of tasks.
var older = map[string]Method{"message/send": SendMessage, "message/stream": Stream, "tasks/get": GetTask, "tasks/cancel": CancelTask,
	"tasks/resubscribe": Subscribe, "tasks/pushNotificationConfig/set": SetPush, "tasks/pushNotificationConfig/get": GetPush,
	"tasks/pushNotificationConfig/list": ListPushes, "tasks/pushNotificationConfig/delete": DeletePush,
	"agent/getAuthenticatedExtendedCard": GetCard}

// newer are those of 1.0.
var newer = map[Method]bool{SendMessage: true, Stream: true, GetTask: true, ListTasks: true, CancelTask: true, Subscribe: true,
	SetPush: true, GetPush: true, ListPushes: true, DeletePush: true, GetCard: true}

// Method is what a name of the version means.
func (v Version) Method(name string) (Method, *Error) {
	if v == V1 {
		if m := Method(name); newer[m] {
			return m, nil
		}
	} else if m, ok := older[name]; ok {
		return m, nil
	}
	return "", Refuse(MethodNotFound, "the version %s has no such method", v)
}

// Name is what a method is called in the version; empty: it has none.
func (v Version) Name(m Method) string {
	if v == V1 {
		return string(m)
	}
	for name, is := range older {
		if is == m {
			return name
		}
	}
	return ""
}

// states of 1.0.
var states = map[State]string{Submitted: "TASK_STATE_SUBMITTED", Working: "TASK_STATE_WORKING", InputRequired: "TASK_STATE_INPUT_REQUIRED",
	AuthRequired: "TASK_STATE_AUTH_REQUIRED", Completed: "TASK_STATE_COMPLETED", Canceled: "TASK_STATE_CANCELED", Failed: "TASK_STATE_FAILED",
	Rejected: "TASK_STATE_REJECTED", Unknown: "TASK_STATE_UNSPECIFIED"}

// StateName is how the version spells a state.
func (v Version) StateName(s State) string {
	if v == V1 {
		return states[s]
	}
	return string(s)
}

// StateOf reads a state; Unknown is any that the version does not have.
func (v Version) StateOf(name string) State {
	for s := range states {
		if v.StateName(s) == name {
			return s
		}
	}
	return Unknown
}
