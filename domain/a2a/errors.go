package a2a

import "fmt"

// Code is what a refusal says to programs: JSON-RPC's own, and those of the protocol.
type Code int

// The codes.
const (
	ParseError          Code = -32700
	InvalidRequest      Code = -32600
	MethodNotFound      Code = -32601
	InvalidParams       Code = -32602
	InternalError       Code = -32603
	TaskNotFound        Code = -32001
	TaskNotCancelable   Code = -32002
	PushUnsupported     Code = -32003
	Unsupported         Code = -32004
	ContentType         Code = -32005
	InvalidAnswer       Code = -32006
	NoExtendedCard      Code = -32007
	VersionNotSupported Code = -32009
)

// reasons are how version 1.0 calls them, in google.rpc.ErrorInfo.
var reasons = map[Code]string{TaskNotFound: "TASK_NOT_FOUND", TaskNotCancelable: "TASK_NOT_CANCELABLE",
	PushUnsupported: "PUSH_NOTIFICATION_NOT_SUPPORTED", Unsupported: "UNSUPPORTED_OPERATION", ContentType: "CONTENT_TYPE_NOT_SUPPORTED",
	InvalidAnswer: "INVALID_AGENT_RESPONSE", NoExtendedCard: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
	VersionNotSupported: "VERSION_NOT_SUPPORTED"}

// statuses are those of HTTP, for the form of 1.0 that has one.
var statuses = map[Code]int{ParseError: 400, InvalidRequest: 400, MethodNotFound: 404, InvalidParams: 400, InternalError: 500,
	TaskNotFound: 404, TaskNotCancelable: 409, PushUnsupported: 400, Unsupported: 400, ContentType: 415, InvalidAnswer: 502,
	NoExtendedCard: 400, VersionNotSupported: 400}

// canonical are the names of google.rpc.Code, by the status of HTTP.
var canonical = map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
	409: "FAILED_PRECONDITION", 415: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 502: "INTERNAL", 503: "UNAVAILABLE"}

// Error is a refusal. Its message may be shown.
type Error struct {
	Code    Code
	Message string
	Field   string // of the parameters, where one is at fault
	Reason  string // beside those of the protocol: a word of ours
	Status  int    // of HTTP; 0: the one of the code
	After   int64  // milliseconds after which it is worth trying again; 0: nobody says
}

// Error is what is shown.
func (e *Error) Error() string { return e.Message }

// Refuse refuses with a code.
func Refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Fault refuses one of the parameters.
func Fault(field, format string, args ...any) *Error {
	return &Error{Code: InvalidParams, Message: field + " " + fmt.Sprintf(format, args...), Field: field}
}

// HTTP is the status that goes with it where requests have one.
func (e *Error) HTTP() int {
	if e.Status != 0 {
		return e.Status
	}
	if status, ok := statuses[e.Code]; ok {
		return status
	}
	return 500
}

const (
	errorInfo  = "type.googleapis.com/google.rpc.ErrorInfo"
	badRequest = "type.googleapis.com/google.rpc.BadRequest"
	domain     = "a2a-protocol.org"
)

// details are what 1.0 wants beside code and message: a list of objects that name their types.
func (e *Error) details() []any {
	var out []any
	reason, of := reasons[e.Code], domain
	if reason == "" && e.Reason != "" {
		reason, of = e.Reason, "parley"
	}
	if reason != "" {
		info := map[string]any{"@type": errorInfo, "reason": reason, "domain": of}
		if e.After > 0 {
			info["metadata"] = map[string]string{"retryAfterMs": fmt.Sprint(e.After)}
		}
		out = append(out, info)
	}
	if e.Field != "" {
		out = append(out, map[string]any{"@type": badRequest, "fieldViolations": []any{map[string]string{"field": e.Field,
			"description": e.Message}}})
	}
	return out
}

// shown is the error of a response. Version 0.3 leaves open what its data are.
func (e *Error) shown(v Version) map[string]any {
	out := map[string]any{"code": int(e.Code), "message": e.Message}
	switch details := e.details(); {
	case v == V1 && len(details) > 0:
		out["data"] = details
	case v != V1 && (e.Field != "" || e.Reason != "" || e.After > 0):
		data := map[string]any{}
		if e.Field != "" {
			data["field"] = e.Field
		}
		if e.Reason != "" {
			data["reason"] = e.Reason
		}
		if e.After > 0 {
			data["retryAfterMs"] = e.After
		}
		out["data"] = data
	}
	return out
}

// Plain is the error as the form of 1.0 has it whose requests have paths.
func (e *Error) Plain() any {
	status := e.HTTP()
	name := canonical[status]
	if name == "" {
		name = "UNKNOWN"
	}
	out := map[string]any{"code": status, "status": name, "message": e.Message}
	if details := e.details(); len(details) > 0 {
		out["details"] = details
	}
	return map[string]any{"error": out}
}
