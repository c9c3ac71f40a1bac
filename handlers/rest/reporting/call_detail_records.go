package reporting

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/handlers/rest"
)

// callDetail is one record of call-details. Times are in the requested zone and have no
// suffix; durations are seconds.
type callDetail struct {
	SessionID             string `json:"sessionId"`
	Channel               string `json:"channel" example:"Voice"`
	SessionStartTime      string `json:"sessionStartTime"`
	SessionEndTime        string `json:"sessionEndTime"`
	BotID                 string `json:"botId"`
	UserID                string `json:"userId" doc:"The number of a call, the identity of a chat's contact; empty when nobody said who it was."`
	ChannelSpecificUserID string `json:"channelSpecificUserId" example:"U0D0ADA" doc:"The same as the channel has it: without slack: before it."`
	DisconnectingEvent    string `json:"disconnectingEvent" example:"Bot Hangup" doc:"User Hangup, Bot Hangup, Gateway Hangup or Agent Closed."`
	FinalStatus           string `json:"finalStatus" example:"BotResolved" doc:"BotResolved, MachineDetected, Abandoned or CLOSED."`
	OrgID                 string `json:"orgId,omitempty" doc:"Of conversations with agents."`
	ConversationID        string `json:"conversationId,omitempty"`

	CustomerInfo     *customerInfo        `json:"customerinfo,omitempty"`
	Skills           *[]string            `json:"skills,omitempty" doc:"Asked for in transfers."`
	UserLevelTags    *[]string            `json:"userleveltags,omitempty"`
	SessionLevelTags *[]conversations.Tag `json:"sessionleveltags,omitempty"`

	Dispositions       *[]string                  `json:"dispositions,omitempty" doc:"Of conversations with agents."`
	DispositionRemarks *[]string                  `json:"dispositionRemarks,omitempty" doc:"Of conversations with agents."`
	MetaInfo           map[string]json.RawMessage `json:"metaInfo,omitempty" doc:"Of conversations with agents: caller, transfers, and what was noted."`
	Destinations       *[]destination             `json:"destinations,omitempty" doc:"Of conversations with agents, in their order."`
}

type customerInfo struct {
	CustomerPhone     string `json:"CustomerPhone"`
	CenterPhone       string `json:"CenterPhone"`
	Direction         string `json:"Direction,omitempty" doc:"Of calls that we placed; absent when it is not known."`
	CustomerFirstName string `json:"CustomerFirstName"`
	CustomerLastName  string `json:"CustomerLastName"`
	CustomerEmail     string `json:"CustomerEmail"`
}

// destination is a queue that the conversation entered, or an agent who got it
// without one.
type destination struct {
	DestinationType        string           `json:"destinationType" enum:"QueueEntry,AgentEntry"`
	QueueID                string           `json:"queueId,omitempty"`
	QueueName              string           `json:"queueName,omitempty"`
	CallbackOpted          bool             `json:"CallbackOpted"`
	CallbackOptedTime      *string          `json:"CallbackOptedTime" doc:"null: no callback was asked for."`
	UserCallbackAcceptTime *string          `json:"userCallbackAcceptTime" doc:"null: no callback was asked for."`
	EnterTime              string           `json:"EnterTime"`
	RespondingAgent        *respondingAgent `json:"respondingAgent,omitempty" doc:"Absent when nobody took it."`
}

type respondingAgent struct {
	AgentID               string   `json:"agentId"`
	AgentNotes            []string `json:"agentNotes"`
	DestinationType       string   `json:"destinationType" enum:"AgentSegment"`
	Status                string   `json:"status" enum:"Answered"`
	FirstResponseTime     string   `json:"firstResponseTime,omitempty"`
	FirstResponseDuration *float64 `json:"firstResponseDuration,omitempty"`
	InteractionEndTime    string   `json:"interactionEndTime,omitempty"`
	InteractionDuration   *float64 `json:"interactionDuration,omitempty"`
	AfterCallWorkDuration *float64 `json:"afterCallWorkDuration,omitempty"`
	AfterCallWorkEndTime  string   `json:"afterCallWorkEndTime,omitempty"`
	Email                 string   `json:"email"`
	Name                  string   `json:"name"`
	AcceptedTime          string   `json:"acceptedTime"`
	AssignedAt            string   `json:"assignedAt"`
}

// detailWriter shows records as one request wants them.
type detailWriter struct {
	zone         *time.Location
	project, org string
	selected     []string
}

func (w detailWriter) shown(r reporting.Record) callDetail {
	out := callDetail{SessionID: r.SessionID, Channel: r.Channel, SessionStartTime: w.local(r.StartedAt), SessionEndTime: w.local(r.EndedAt),
		BotID: w.project, UserID: r.CustomerID, ChannelSpecificUserID: r.ChannelCustomerID, DisconnectingEvent: r.DisconnectingEvent,
		FinalStatus: string(r.FinalStatus), ConversationID: r.ConversationID}
	if w.wants("customerinfo") {
		c := r.Customer
		out.CustomerInfo = &customerInfo{CustomerPhone: c.Phone, CenterPhone: c.CenterPhone, Direction: c.Direction,
			CustomerFirstName: c.FirstName, CustomerLastName: c.LastName, CustomerEmail: c.Email}
	}
	if w.wants("skills") {
		out.Skills = listed(r.Skills)
	}
	if w.wants("userleveltags") {
		out.UserLevelTags = listed(r.UserLevelTags)
	}
	if w.wants("sessionleveltags") {
		out.SessionLevelTags = listed(r.SessionLevelTags)
	}
	if p := r.People; p != nil {
		out.OrgID, out.MetaInfo = w.org, p.MetaInfo
		out.Dispositions, out.DispositionRemarks = listed(p.Dispositions), listed(p.DispositionRemarks)
		destinations := []destination{}
		for _, d := range p.Destinations {
			destinations = append(destinations, w.destination(d))
		}
		out.Destinations = &destinations
	}
	return out
}

func (w detailWriter) wants(field string) bool { return slices.Contains(w.selected, field) }

func (w detailWriter) destination(d reporting.Destination) destination {
	out := destination{DestinationType: "AgentEntry", EnterTime: w.local(d.EnteredAt)}
	if d.QueueID != "" {
		out.DestinationType, out.QueueID, out.QueueName = "QueueEntry", d.QueueID, d.QueueName
	}
	if d.Agent != nil {
		out.RespondingAgent = w.responding(*d.Agent)
	}
	return out
}

func (w detailWriter) responding(r reporting.Responding) *respondingAgent {
	out := &respondingAgent{AgentID: r.ID, Name: r.Name, Email: r.Email, AgentNotes: rest.OrNone(r.Notes), DestinationType: "AgentSegment",
		Status: "Answered", AcceptedTime: w.local(r.AssignedAt), AssignedAt: w.local(r.AssignedAt)}
	if s := r.Response; s != nil {
		out.FirstResponseTime, out.FirstResponseDuration = w.local(s.At), seconds(s.Took)
	}
	if s := r.Interaction; s != nil {
		out.InteractionEndTime, out.InteractionDuration = w.local(s.At), seconds(s.Took)
	}
	if s := r.AfterCallWork; s != nil {
		out.AfterCallWorkDuration = seconds(s.Took)
		if !s.At.IsZero() {
			out.AfterCallWorkEndTime = w.local(s.At)
		}
	}
	return out
}

func listed[T any](list []T) *[]T {
	list = rest.OrNone(list)
	return &list
}

func seconds(d time.Duration) *float64 {
	s := float64(d.Milliseconds()) / 1000
	return &s
}

func (w detailWriter) local(t time.Time) string {
	return t.In(w.zone).Format("2006-01-02T15:04:05.000")
}
