package a2a

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

type members = map[string]any

// stamp is how times are written: UTC, with milliseconds.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func (v Version) kind(m members, kind string) members {
	if v != V1 {
		m["kind"] = kind
	}
	return m
}

// Role is how the version calls the side that says something.
func (v Version) role(byAgent bool) string {
	role := map[bool]string{true: "agent", false: "user"}[byAgent]
	if v == V1 {
		role = map[bool]string{true: "ROLE_AGENT", false: "ROLE_USER"}[byAgent]
	}
	return role
}

// Message is a message as the version has it.
func (v Version) Message(m Message) any {
	out := v.kind(members{"messageId": m.ID, "role": v.role(m.ByAgent), "parts": v.parts(m.Parts)}, "message")
	if m.ContextID != "" {
		out["contextId"] = m.ContextID
	}
	if m.TaskID != "" {
		out["taskId"] = m.TaskID
	}
	if m.Metadata != nil {
		out["metadata"] = m.Metadata
	}
	if len(m.References) > 0 {
		out["referenceTaskIds"] = m.References
	}
	return out
}

func (v Version) parts(all []Part) []any {
	out := make([]any, len(all))
	for i, p := range all {
		out[i] = v.part(p)
	}
	return out
}

func (v Version) part(p Part) members {
	switch {
	case p.File != nil && v == V1:
		out := members{}
		if p.File.URI != "" {
			out["url"] = p.File.URI
		} else {
			out["raw"] = base64.StdEncoding.EncodeToString(p.File.Bytes)
		}
		named(out, "filename", p.File.Name)
		named(out, "mediaType", p.File.MediaType)
		return out
	case p.File != nil:
		file := members{}
		if p.File.URI != "" {
			file["uri"] = p.File.URI
		} else {
			file["bytes"] = base64.StdEncoding.EncodeToString(p.File.Bytes)
		}
		named(file, "name", p.File.Name)
		named(file, "mimeType", p.File.MediaType)
		return v.kind(members{"file": file}, "file")
	case p.Data != nil:
		return v.kind(members{"data": p.Data}, "data")
	}
	return v.kind(members{"text": p.Text}, "text")
}

func named(out members, name, value string) {
	if value != "" {
		out[name] = value
	}
}

func (v Version) status(s Status) members {
	out := members{"state": v.StateName(s.State), "timestamp": stamp(s.At)}
	if s.Message != nil {
		out["message"] = v.Message(*s.Message)
	}
	return out
}

func (v Version) artifact(a Artifact) members {
	out := members{"artifactId": a.ID, "parts": v.parts(a.Parts)}
	named(out, "name", a.Name)
	return out
}

// Task is a task as the version has it.
func (v Version) Task(t Task) any {
	out := v.kind(members{"id": t.ID, "contextId": t.ContextID, "status": v.status(t.Status)}, "task")
	if len(t.Artifacts) > 0 {
		all := make([]any, len(t.Artifacts))
		for i, a := range t.Artifacts {
			all[i] = v.artifact(a)
		}
		out["artifacts"] = all
	}
	if len(t.History) > 0 {
		all := make([]any, len(t.History))
		for i, m := range t.History {
			all[i] = v.Message(m)
		}
		out["history"] = all
	}
	if len(t.Metadata) > 0 {
		out["metadata"] = t.Metadata
	}
	return out
}

// Answer is what sending a message is answered with.
func (v Version) Answer(t Task) any {
	if v == V1 {
		return members{"task": v.Task(t)}
	}
	return v.Task(t)
}

// Update is one thing of a stream.
func (v Version) Update(u Update) any {
	switch {
	case u.Task != nil:
		return v.Answer(*u.Task)
	case u.Status != nil:
		out := members{"taskId": u.TaskID, "contextId": u.ContextID, "status": v.status(*u.Status)}
		if v == V1 {
			return members{"statusUpdate": out}
		}
		out["final"] = u.Status.State.Pauses()
		return v.kind(out, "status-update")
	}
	out := members{"taskId": u.TaskID, "contextId": u.ContextID, "artifact": v.artifact(*u.Artifact), "append": u.Append, "lastChunk": u.Last}
	if v == V1 {
		return members{"artifactUpdate": out}
	}
	return v.kind(out, "artifact-update")
}

// Push is where somebody is told, as it is shown. It must go to nobody who does not know it.
func (v Version) Push(p Push) any {
	config := members{"id": p.ID, "url": p.URL}
	named(config, "token", p.Token)
	if p.Scheme != "" {
		auth := members{"schemes": []string{p.Scheme}}
		if v == V1 {
			auth = members{"scheme": p.Scheme}
		}
		named(auth, "credentials", p.Credentials)
		config["authentication"] = auth
	}
	if v == V1 {
		config["taskId"] = p.TaskID
		return config
	}
	return members{"taskId": p.TaskID, "pushNotificationConfig": config}
}

// Pushes are those of a task.
func (v Version) Pushes(all []Push) any {
	out := make([]any, len(all))
	for i, p := range all {
		out[i] = v.Push(p)
	}
	if v == V1 {
		return members{"configs": out}
	}
	return out
}

// Page is a part of a list of tasks, which 1.0 has.
func Page(tasks []Task, next string, total, size int) any {
	out := make([]any, len(tasks))
	for i, t := range tasks {
		out[i] = V1.Task(t)
	}
	return members{"tasks": out, "nextPageToken": next, "pageSize": size, "totalSize": total}
}

// keyHeader is how callers show who they are.
const keyHeader = "X-API-Key"

// Shown is what an agent says of itself, for clients of both versions.
func (c Card) Shown() map[string]any {
	skills := make([]any, len(c.Skills))
	for i, s := range c.Skills {
		skills[i] = members{"id": s.ID, "name": s.Name, "description": s.Description, "tags": []string{}}
	}
	modes := []string{"text/plain", "application/json"}
	return members{
		"protocolVersion": "0.3.0", "name": c.Name, "description": c.Description, "url": c.URL, "version": c.Version,
		"preferredTransport":   "JSONRPC",
		"additionalInterfaces": []any{members{"url": c.URL, "transport": "JSONRPC"}},
		"supportedInterfaces": []any{
			members{"url": c.URL, "protocolBinding": "JSONRPC", "protocolVersion": string(V1)},
			members{"url": c.URL, "protocolBinding": "JSONRPC", "protocolVersion": string(V03)}},
		"capabilities": members{"streaming": true, "pushNotifications": true, "stateTransitionHistory": false, "extendedAgentCard": false},
		"securitySchemes": members{"apiKey": members{"type": "apiKey", "in": "header", "name": keyHeader,
			"apiKeySecurityScheme": members{"location": "header", "name": keyHeader}}},
		"security":             []any{members{"apiKey": []string{}}},
		"securityRequirements": []any{members{"schemes": members{"apiKey": members{"list": []string{}}}}},
		"defaultInputModes":    append(modes, "application/octet-stream"), "defaultOutputModes": modes[:1], "skills": skills,
		"supportsAuthenticatedExtendedCard": false,
	}
}

// Result is the response to a request, by JSON-RPC.
func Result(id json.RawMessage, result any) any {
	return members{"jsonrpc": "2.0", "id": orNull(id), "result": result}
}

// Refused is the response to a request that was refused.
func (v Version) Refused(id json.RawMessage, e *Error) any {
	return members{"jsonrpc": "2.0", "id": orNull(id), "error": e.shown(v)}
}

func orNull(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}
