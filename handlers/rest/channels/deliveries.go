package channels

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/channels"
)

// DeliveriesAPI is what the operations on what is said back by a connection need.
type DeliveriesAPI struct {
	ConnectionsAPI
	Deliveries deliveryReader
}

// deliveryReader knows what became of what was said back.
type deliveryReader interface {
	Get(ctx context.Context, tenant, connection, thread string, reply int) (channels.Delivery, bool, error)
	List(ctx context.Context, q channels.DeliveryQuery) ([]channels.Delivery, int, error)
}

// DeclareDeliveries adds the operations on what is said back by a connection.
func DeclareDeliveries(api *rest.API, x DeliveriesAPI) {
	tags := []string{"Channel connections"}
	one := rest.ResolveAll(rest.ProjectFrom("projectId"), x.ofPath)
	rest.Declare(api, rest.Operation{
		ID: "list-channel-deliveries", Method: http.MethodGet, Path: connectionPath + "/deliveries", Tags: tags, Extension: true,
		Summary:     "List what was said back by a connection, the newest first",
		Description: "Without its words, which the transcript of the session has.",
		Requirement: access.SignedIn(access.Ability(access.PermChannelRead)), Resolve: one,
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "retry-channel-delivery", Method: http.MethodPost, Path: connectionPath + "/deliveries/{deliveryId}/retry", Tags: tags,
		Extension: true, Summary: "Try again to deliver what failed",
		Description: "From the part at which it failed, behind what waits in the same conversation, for one more day. The newest 20 that " +
			"failed of a conversation can be tried again; one that failed with OUTCOME_UNKNOWN may have been delivered.",
		Requirement: access.SignedIn(access.Ability(access.PermChannelUpdate)), Resolve: one,
		Refusals: []fault.Code{fault.NotExecuted, fault.OutcomeUnknown, fault.Conflict},
	}, x.retry)
}

// ChannelDelivery is one reply as it is shown.
type ChannelDelivery struct {
	ID                string  `json:"id" example:"5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5.3"`
	SessionID         string  `json:"sessionId"`
	MessageID         string  `json:"messageId" doc:"Of what was said, as the transcript has it."`
	Status            string  `json:"status" enum:"queued,sending,retrying,sent,failed"`
	State             *string `json:"state" nullable:"true" enum:"underway,delivered,read,undelivered" doc:"What the provider said of it later; null: nothing."`
	Parts             int     `json:"parts" doc:"In how many messages it goes out."`
	PartsSent         int     `json:"partsSent"`
	Attempts          int     `json:"attempts" doc:"At the part whose turn it is, or was last."`
	Code              *string `json:"code" nullable:"true" doc:"Of the newest attempt that came to nothing; of one that is undelivered the provider's."`
	Reason            *string `json:"reason" nullable:"true"`
	ProviderMessageID *string `json:"providerMessageId" nullable:"true" doc:"Of the newest part that the provider took."`
	QueuedAt          string  `json:"queuedAt" format:"date-time"`
	SendBy            string  `json:"sendBy" format:"date-time" doc:"It is given up then."`
	EndedAt           *string `json:"endedAt" nullable:"true" format:"date-time"`
}

func shownDelivery(d channels.Delivery) ChannelDelivery {
	out := ChannelDelivery{ID: d.ThreadID + "." + strconv.Itoa(d.Reply), SessionID: d.SessionID, MessageID: d.MessageID,
		Status: string(d.Status), State: orNull(d.State), Parts: d.Parts, PartsSent: d.PartsSent, Attempts: d.Attempts, Code: orNull(d.Code),
		Reason: orNull(d.Reason), ProviderMessageID: orNull(d.ProviderMessageID), QueuedAt: rest.ISOTime(&d.QueuedAt),
		SendBy: rest.ISOTime(&d.SendBy)}
	if d.EndedAt != nil {
		out.EndedAt = orNull(rest.ISOTime(d.EndedAt))
	}
	return out
}

type listDeliveriesIn struct {
	ConnectionPath
	Status    string `query:"status" enum:"queued,sending,retrying,sent,failed" doc:"Only of this status."`
	SessionID string `query:"sessionId" maxLength:"128" doc:"Only of this session."`
	rest.Page
}

type listDeliveriesOut struct {
	Body struct {
		Success    bool              `json:"success"`
		Deliveries []ChannelDelivery `json:"deliveries"`
		Pagination rest.Pagination   `json:"pagination"`
	}
}

func (x DeliveriesAPI) list(ctx context.Context, in *listDeliveriesIn) (*listDeliveriesOut, error) {
	found, total, err := x.Deliveries.List(ctx, channels.DeliveryQuery{Tenant: rest.ProjectOf(ctx).TenantID,
		Connection: connectionAt(ctx).ConnectionID, Status: channels.DeliveryStatus(in.Status), SessionID: in.SessionID, Limit: in.Limit,
		Offset: in.Offset})
	if err != nil {
		return nil, err
	}
	out := &listDeliveriesOut{}
	out.Body.Success, out.Body.Deliveries, out.Body.Pagination = true, rest.Shown(found, shownDelivery), in.Of(total)
	return out, nil
}

type retryDeliveryIn struct {
	ConnectionPath
	DeliveryID string `path:"deliveryId" maxLength:"128" doc:"A delivery's id."`
}

type retryDeliveryOut struct {
	Body struct {
		Success  bool            `json:"success"`
		Delivery ChannelDelivery `json:"delivery"`
	}
}

func (x DeliveriesAPI) retry(ctx context.Context, in *retryDeliveryIn) (*retryDeliveryOut, error) {
	thread, number, _ := strings.Cut(in.DeliveryID, ".")
	reply, err := strconv.Atoi(number)
	ok := false
	if err == nil && reply > 0 && reply < 1<<31 && access.ValidID(thread) {
		_, ok, err = x.delivery(ctx, thread, reply)
		if err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "there is no such delivery")
	}
	cmd := threads.Retry{Reply: reply, At: x.Now()}
	if _, err := rest.Execute(ctx, x.Commands, threads.Threads, threads.Threads.Stream(thread), cmd.Decide); err != nil {
		return nil, err
	}
	d, _, err := x.delivery(ctx, thread, reply)
	if err != nil {
		return nil, err
	}
	out := &retryDeliveryOut{}
	out.Body.Success, out.Body.Delivery = true, shownDelivery(d)
	return out, nil
}

func (x DeliveriesAPI) delivery(ctx context.Context, thread string, reply int) (channels.Delivery, bool, error) {
	return x.Deliveries.Get(ctx, rest.ProjectOf(ctx).TenantID, connectionAt(ctx).ConnectionID, thread, reply)
}
