package voice

import (
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/document"
)

// The notifications of a call as the document tells them, one type for each status; a test
// holds them against what is sent. Names that have two spellings are told in one.

// CallNotification is what all of them have. It is exported so that the schema shows it.
type CallNotification struct {
	ConversationID string `json:"conversationId" doc:"callId of the dial-out."`
	Reason         string `json:"reason" example:"200 OK"`
	ReasonCode     string `json:"reasonCode" example:"OK"`
}

// CallConnected is what is known once somebody picked up. It is exported so that the schema
// shows it.
type CallConnected struct {
	CallConnectTime     string `json:"callConnectTime" format:"date-time" doc:"When the callee picked up."`
	RingDurationInMS    int64  `json:"ringDurationInMS"`
	ConnectDurationInMS int64  `json:"connectDurationInMS"`
}

type callAnsweredNotification struct {
	CallNotification
	Status string `json:"status" enum:"Answered"`
	CallConnected
}

type callInProgressNotification struct {
	CallNotification
	Status string `json:"status" enum:"Call-In-Progress"`
	CallConnected
	MachineDetection string `json:"machineDetection" enum:"amd_human_detected,amd_machine_detected,amd_no_speech_detected,amd_decision_timeout,amd_machine_stopped_speaking,amd_tone_detected,amd_error,amd_stopped" doc:"What answering machine detection heard."`
}

type callCompletedNotification struct {
	CallNotification
	Status string `json:"status" enum:"completed"`
	CallConnected
	CallDisconnectTime string `json:"callDisconnectTime" format:"date-time"`
	CallDuration       int64  `json:"callDuration" doc:"Whole seconds."`
	MachineDetection   string `json:"machineDetection,omitempty" example:"amd_machine_detected" doc:"The verdict of answering machine detection, if it was asked for."`
	SessionID          string `json:"sessionId,omitempty" doc:"The session in call details."`
}

type callFailedNotification struct {
	CallNotification
	Status              string `json:"status" enum:"Failed"`
	CallConnectTime     string `json:"callConnectTime" format:"date-time" doc:"The same as callDisconnectTime: nobody picked up."`
	CallDisconnectTime  string `json:"callDisconnectTime" format:"date-time" doc:"When it was refused."`
	RingDurationInMS    *int64 `json:"ringDurationInMS,omitempty" doc:"Absent of a call that was never dialled."`
	ConnectDurationInMS *int64 `json:"connectDurationInMS,omitempty" doc:"Absent of a call that was never dialled."`
}

const toNotifyURL = "Posted to the notifyurl of the dial-out. Notifications of a call come in order, one at a time, each at least once. "

func describeNotifications(api *rest.API, path string) {
	hook := func(name, summary, when string) document.Webhook {
		return document.Webhook{Name: name, Summary: summary, Description: toNotifyURL + when, Path: path, Address: "$request.body#/notifyurl"}
	}
	d := api.Description()
	document.DescribeWebhook[callAnsweredNotification](d, hook("call-answered", "A callee has picked up", "Sent when the callee picks up."))
	document.DescribeWebhook[callInProgressNotification](d, hook("call-in-progress", "Answering machine detection has heard something",
		"Sent for each result that amdEventsSubscription names."))
	document.DescribeWebhook[callCompletedNotification](d, hook("call-completed", "An answered call is over",
		"It is the last one of its call."))
	document.DescribeWebhook[callFailedNotification](d, hook("call-failed", "A call was not answered", "It is the only one of its call."))
}
