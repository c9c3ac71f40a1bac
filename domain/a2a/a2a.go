// Package a2a is the protocol by which agents of different makers talk with each other: what is said
// (messages, tasks, artifacts), how requests and refusals are written, and how the versions 0.3 and 1.0
// spell all of it.
//
// It owns the words and nothing that they mean here: it knows no session, asks nobody and reads no clock.
package a2a

import (
	"encoding/json"
	"time"
)

// Message is something that one side says to the other.
type Message struct {
	ID         string
	ContextID  string // of the conversation; empty: one begins
	TaskID     string // that it goes on with; empty: it begins one
	ByAgent    bool
	Parts      []Part
	Metadata   json.RawMessage // an object; nil: none
	References []string        // other tasks that it is about
}

// Part is one piece of a message or of an artifact: of Text, Data and File there is one.
type Part struct {
	Text string
	Data json.RawMessage // any JSON
	File *File
}

// File is a file as it is, or where it is.
type File struct {
	Name      string
	MediaType string
	Bytes     []byte
	URI       string // with it there are no Bytes
}

// State is how far a task has come.
type State string

// The states.
const (
	Submitted     State = "submitted" // it waits for its turn
	Working       State = "working"
	InputRequired State = "input-required" // it waits for the other side
	AuthRequired  State = "auth-required"
	Completed     State = "completed"
	Canceled      State = "canceled"
	Failed        State = "failed"
	Rejected      State = "rejected" // nobody began it
	Unknown       State = "unknown"
)

// Terminal is whether nothing more comes of it.
func (s State) Terminal() bool {
	return s == Completed || s == Canceled || s == Failed || s == Rejected
}

// Pauses is whether it is the other side that has to do something, if anybody has.
func (s State) Pauses() bool { return s.Terminal() || s == InputRequired || s == AuthRequired }

// Status is a state, and what is said of it.
type Status struct {
	State   State
	Message *Message // nil: nothing
	At      time.Time
}

// Artifact is what came of a task.
type Artifact struct {
	ID    string
	Name  string
	Parts []Part
}

// Task is a piece of work that a message began.
type Task struct {
	ID        string
	ContextID string
	Status    Status
	Artifacts []Artifact
	History   []Message
	Metadata  map[string]any // nil: none
}

// Update is one thing that is told of a task as it goes on: all of it, another status, or more of an
// artifact. Of these there is one.
type Update struct {
	Task     *Task
	Status   *Status
	Artifact *Artifact
	Append   bool // to the artifact, whose first parts were told before
	Last     bool // nothing more comes of the artifact

	TaskID, ContextID string // of Status and Artifact
}

// Push is where somebody wants to be told of a task.
type Push struct {
	ID          string
	TaskID      string
	URL         string
	Token       string // goes with what is told, as it is
	Scheme      string // of Credentials, as Bearer
	Credentials string
}

// Card is what an agent says of itself to anybody.
type Card struct {
	Name        string
	Description string
	URL         string // of requests
	Provider    string
	Version     string // of the agent
	Skills      []Skill
}

// Skill is something that an agent can do.
type Skill struct {
	ID          string
	Name        string
	Description string
}
