package channels_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/projections/channels"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// queued is the third one of a thread.
func queued() threads.Queued {
	at := time.Date(2026, 3, 1, 12, 1, 0, 0, time.UTC)
	return given.Filled(func(e *threads.Queued) {
		e.Reply, e.Messages, e.Fetched, e.Polled, e.At, e.SendBy = 3, 2, false, false, at, at.Add(time.Minute)
	})
}

// Given the events of a reply, then these are the rows after each.
func TestRowsOfDeliveries(t *testing.T) {
	model := given.Open(t).Follow(channels.DeliveriesModel)
	const row, timer = "channel_deliveries thread_id=t reply=3", "timers stream=thread-t name=reply"
	model.After("t", given.Filled[threads.Taken](), "+ channel_thread_sessions session_id=sessionId thread_id=t tenant=tenantId")
	model.After("s", given.Filled(func(e *sessions.Opened) { e.SessionID, e.Thread = "s", "thread-t" }),
		"+ channel_thread_sessions session_id=s thread_id=t tenant=tenantId")
	model.After("s", given.Filled(func(e *sessions.Opened) { e.SessionID, e.Thread = "of-a-call", "" }))
	model.After("t", queued(), "+ "+row+` tenant=tenantId project_id=projectId connection_id=connectionId session_id=sessionId `+
		`message_id=messageId status=queued parts=2 queued_at=12:01:00 send_by=12:02:00`)
	model.After("t", given.Filled(func(e *threads.Started) { e.Reply = 3 }), "~ "+row+": status=sending attempts=4",
		"+ "+timer+" topic=parley.threads tenant=tenantId due_at=12:00:08 claimed_until=-infinity")
	model.After("t", given.Filled(func(e *threads.Missed) { e.Reply = 3 }), "~ "+row+": status=retrying code=code reason=reason",
		"~ "+timer+": due_at=12:00:09")
	model.After("t", given.Filled(func(e *threads.Due) { e.Reply = 3 }), "- "+timer)
	model.After("t", given.Filled(func(e *threads.PartSent) { e.Reply, e.Part, e.Last = 3, 0, false }),
		"~ "+row+": status=queued parts_sent=1 code= reason= provider_message_id=providerMessageId")
	model.After("t", given.Filled(func(e *threads.Failed) { e.Reply = 3 }),
		"~ "+row+": status=failed code=code reason=reason ended_at=12:00:08")
	model.After("t", given.Filled(func(e *threads.Retried) { e.Reply = 3 }), "~ "+row+": status=queued send_by=12:00:04 ended_at=")
	model.After("t", given.Filled(func(e *threads.PartSent) { e.Reply, e.Part = 3, 1 }),
		"~ "+row+": status=sent parts_sent=2 code= reason= ended_at=12:00:07")
	model.After("t", given.Filled(func(e *threads.Reported) { e.Reply = 3 }), "~ "+row+": state=state")
	model.After("t", given.Filled(func(e *threads.Reported) { e.Reply, e.State = 3, "undelivered" }),
		"~ "+row+": state=undelivered code=code reason=the provider took it, and says that it did not arrive")
	model.After("t", given.Filled(func(e *threads.Reported) { e.Reply, e.State = 3, "delivered" }), "~ "+row+": state=delivered code= reason=")
	fetched := queued()
	fetched.Reply, fetched.Fetched = 5, true
	model.After("t", fetched, "+ channel_deliveries thread_id=t reply=5 "+
		"tenant=tenantId project_id=projectId connection_id=connectionId session_id=sessionId message_id=messageId status=queued parts=1 "+
		"queued_at=12:01:00 send_by=12:02:00")
	model.After("t", given.Filled(func(e *threads.Answered) { e.Replies = []int{5} }),
		"~ channel_deliveries thread_id=t reply=5: status=sent parts_sent=1 ended_at=12:00:08")
	model.After("t", given.Filled(func(e *threads.Spoken) { e.Replies = []int{5} }),
		"~ channel_deliveries thread_id=t reply=5: ended_at=12:00:05")
	model.After("t", given.Filled(func(e *threads.Started) { e.Reply = 4 }), "+ "+timer+
		" topic=parley.threads tenant=tenantId due_at=12:00:08 claimed_until=-infinity")
	model.After("t", given.Filled(func(e *threads.Left) { e.Unheard = []int{5} }),
		"~ channel_deliveries thread_id=t reply=5: status=failed code=LEFT reason=the person has left ended_at=12:00:07")
	model.After("t", given.Filled(func(e *threads.Forgotten) { e.Replies = []int{3} }),
		"~ "+row+": status=failed code=ERASED reason=the person was erased ended_at=12:00:02", "- "+timer)
	model.After("t", given.Filled(func(e *threads.Queued) { e.Reply, e.Messages, e.Fetched = 6, 2, false }), "+ channel_deliveries "+
		"thread_id=t reply=6 tenant=tenantId project_id=projectId connection_id=connectionId session_id=sessionId message_id=messageId "+
		"status=sent parts=2 parts_sent=2 queued_at=12:00:28 send_by=12:00:29 ended_at=12:00:28")
	const refusal = "channel_refusals thread_id=t"
	model.After("t", given.Filled(func(e *threads.Refused) { e.ProjectID = "" }))
	model.After("t", given.Filled[threads.Refused](), "+ "+refusal+" tenant=tenantId project_id=projectId refused_at=12:00:06")
	model.After("t", threads.Erased{}, "~ "+row+": provider_message_id=", "- "+refusal)
}

// Given replies of two connections, then each question finds those that it is about.
func TestAnswersAboutDeliveries(t *testing.T) {
	w := given.Open(t)
	for i, connection := range []string{"cn-1", "cn-1", "cn-2"} {
		w.Given(channels.DeliveriesModel, "t-"+connection, given.Filled(func(e *threads.Queued) {
			e.Reply, e.ConnectionID, e.SessionID = i+1, connection, "s-"+connection
		}), given.Filled(func(e *threads.PartSent) { e.Reply, e.Last, e.ProviderMessageID = i+1, i == 0, "p-"+connection }))
	}
	x, ctx := channels.NewDeliveries(w.DB), t.Context()
	w.Given(channels.DeliveriesModel, "t-cn-1", given.Filled(func(e *threads.Taken) { e.SessionID = "s-cn-1" }))
	for _, c := range []struct {
		tenant, session string
		want            []int
	}{{"tenantId", "s-cn-1", []int{1, 2}}, {"tenantId", "s-cn-2", []int{3}}, {"other", "s-cn-1", nil}} {
		found, err := x.OfSession(ctx, c.tenant, c.session)
		require.NoError(t, err)
		var replies []int
		for _, d := range found {
			replies = append(replies, d.Reply)
		}
		require.Equal(t, c.want, replies, c.session)
	}
	for _, c := range []struct {
		q    channels.DeliveryQuery
		want []int
	}{
		{channels.DeliveryQuery{Connection: "cn-1"}, []int{2, 1}},
		{channels.DeliveryQuery{Connection: "cn-1", Status: channels.DeliverySent}, []int{1}},
		{channels.DeliveryQuery{Connection: "cn-2", SessionID: "s-cn-1"}, nil},
		{channels.DeliveryQuery{Connection: "cn-2", SessionID: "s-cn-2"}, []int{3}},
	} {
		c.q.Tenant, c.q.Limit = "tenantId", 9
		got, total, err := x.List(ctx, c.q)
		require.NoError(t, err)
		require.Equal(t, len(c.want), total, c.q)
		var replies []int
		for _, d := range got {
			replies = append(replies, d.Reply)
		}
		require.Equal(t, c.want, replies, c.q)
	}
	d, ok, err := x.Get(ctx, "tenantId", "cn-2", "t-cn-2", 3)
	require.NoError(t, err)
	require.True(t, ok && d.ThreadID == "t-cn-2")
	_, ok, err = x.Get(ctx, "another", "cn-2", "t-cn-2", 3)
	require.NoError(t, err)
	require.False(t, ok)
	d, ok, err = x.Taken(ctx, "tenantId", "cn-2", "p-cn-2")
	require.NoError(t, err)
	require.True(t, ok && d.Reply == 3)
	_, ok, err = x.Taken(ctx, "tenantId", "cn-2", "p-cn-1")
	require.NoError(t, err)
	require.False(t, ok)
}
