package reporting

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// callDetail is one record of call-details. Times are in the requested zone and have no
// suffix; durations are seconds.
type callDetail struct {
	SessionID             string `json:"sessionId"`
	Channel               string `json:"channel" example:"Voice"`
	SessionStartTime      string `json:"sessionStartTime"`
	SessionEndTime        string `json:"sessionEndTime"`
	BotID                 string `json:"botId"`
	UserID                string `json:"userId"`
	ChannelSpecificUserID string `json:"channelSpecificUserId"`
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

// agentsOf lists whoever is named as an agent.
func agentsOf(details []contactcenter.CallDetail) (names []string) {
	for _, d := range details {
		for _, t := range d.Transfers {
			names = append(names, t.AgentID)
		}
		if d.Conversation != nil {
			for _, p := range d.Conversation.Participants {
				names = append(names, p.Identity, p.AgentEmail)
			}
			for _, work := range d.Conversation.AfterCallWork {
				names = append(names, work.AgentID)
			}
		}
		names = slices.AppendSeq(names, maps.Keys(d.Said))
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
}

// detailWriter writes records as one request wants them.
type detailWriter struct {
	zone         *time.Location
	project, org string
	selected     []string
	agents       map[string]contactcenter.AgentCard // by each name of an agent
}

func (w detailWriter) record(d contactcenter.CallDetail) callDetail {
	r := callDetail{SessionID: d.SessionID, Channel: channels.Name(d.Channel), SessionStartTime: w.local(d.StartedAt),
		SessionEndTime: w.local(d.EndedAt),
		BotID:          w.project, UserID: d.UserID, ChannelSpecificUserID: d.UserID,
		DisconnectingEvent: d.DisconnectingEvent, FinalStatus: d.FinalStatus, ConversationID: d.ConversationID}
	c := cmp.Or(d.Conversation, &contactcenter.ConversationInfo{})
	for _, field := range w.selected {
		switch field {
		case "customerinfo":
			r.CustomerInfo = customerOf(d, c)
		case "skills":
			r.Skills = new([]string)
			*r.Skills = skillsOf(d.Transfers)
		case "userleveltags":
			r.UserLevelTags = listed(c.UserLevelTags)
		case "sessionleveltags":
			r.SessionLevelTags = listed(c.SessionLevelTags)
		}
	}
	if len(d.Transfers) > 0 || d.Conversation != nil {
		w.addAgents(&r, d, c)
	}
	return r
}

// addAgents adds what records of conversations with agents have more.
func (w detailWriter) addAgents(r *callDetail, d contactcenter.CallDetail, c *contactcenter.ConversationInfo) {
	r.OrgID, r.ConversationID = w.org, cmp.Or(c.ConversationID, firstConversation(d.Transfers), d.ConversationID)
	r.Dispositions, r.DispositionRemarks = listed(c.Dispositions), listed(c.DispositionRemarks)
	destinations := w.destinations(d, c)
	r.Destinations = &destinations
	r.MetaInfo = w.metaInfo(d, c)
	if slices.ContainsFunc(destinations, func(x destination) bool { return x.RespondingAgent != nil }) {
		over := c.EndedAt != nil && !c.EndedAt.After(d.EndedAt) && c.EndReason != string(transfers.SessionEnded)
		if d.FinalStatus == projections.Closed && over {
			r.DisconnectingEvent = "Agent Closed"
		}
	}
}

func firstConversation(transfers []contactcenter.Transfer) string {
	for _, t := range transfers {
		if id := t.Conversation(); id != "" {
			return id
		}
	}
	return ""
}

// customerOf takes names that were noted before those that the dial-out gave.
func customerOf(d contactcenter.CallDetail, c *contactcenter.ConversationInfo) *customerInfo {
	noted := calls.CustomerOf(c.MetaInfo)
	return &customerInfo{CustomerPhone: d.UserID, CenterPhone: d.CenterID, Direction: d.Direction, CustomerFirstName: cmp.Or(noted.FirstName,
		d.Customer.FirstName),
		CustomerLastName: cmp.Or(noted.LastName, d.Customer.LastName), CustomerEmail: cmp.Or(noted.Email, d.Customer.Email)}
}

func skillsOf(transfers []contactcenter.Transfer) []string {
	skills := []string{}
	for _, t := range transfers {
		skills = append(skills, t.Skills...)
	}
	slices.Sort(skills)
	return slices.Compact(skills)
}

func listed[T any](list []T) *[]T {
	list = rest.OrNone(list)
	return &list
}

// metaInfo: who called, how it was transferred, and what was noted, whose members win.
func (w detailWriter) metaInfo(d contactcenter.CallDetail, c *contactcenter.ConversationInfo) map[string]json.RawMessage {
	type move struct {
		TransferID string   `json:"transferId"`
		QueueID    string   `json:"queueId,omitempty"`
		AgentID    string   `json:"agentId,omitempty"`
		Skills     []string `json:"skills"`
		Status     string   `json:"status"`
		Reason     string   `json:"reason,omitempty"`
	}
	moves := []move{}
	for _, t := range d.Transfers {
		moves = append(moves, move{TransferID: t.TransferID, QueueID: t.QueueID, AgentID: cmp.Or(t.AgentID, t.AskedAgentID),
			Skills: rest.OrNone(t.Skills), Status: string(t.Status), Reason: string(t.Reason)})
	}
	info := map[string]json.RawMessage{}
	for name, value := range map[string]any{"caller": map[string]string{"userId": d.UserID, "channel": d.Channel}, "transfers": moves,
		"sessionId": d.SessionID} {
		info[name], _ = json.Marshal(value) // of such values there always is one
	}
	var noted map[string]json.RawMessage
	if json.Unmarshal(c.MetaInfo, &noted) == nil {
		for name, value := range noted {
			info[name] = value
		}
	}
	return info
}

func (w detailWriter) local(t time.Time) string {
	return t.In(w.zone).Format("2006-01-02T15:04:05.000")
}
