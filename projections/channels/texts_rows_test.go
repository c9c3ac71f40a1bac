package channels_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/projections/channels"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of texts, then these are the rows after each.
func TestRowsOfTexts(t *testing.T) {
	model := given.Open(t).Follow(channels.TextsModel)
	model.After("m-1", given.Filled[texts.Requested](),
		"+ messages message_id=m-1 tenant=tenantId project_id=projectId sender=from recipient=to body=text status=queued "+
			"campaign_id=campaignId campaign_instance_id=instanceId contact_index=12 requested_at=12:00:13 send_by=12:00:14",
		"+ timers stream=message-m-1 name=message topic=parley.messages tenant=tenantId due_at=12:00:14 claimed_until=-infinity",
	)
	model.After("m-1", given.Filled[texts.AttemptStarted](),
		"~ messages message_id=m-1: status=sending provider=provider attempts=3",
		"~ timers stream=message-m-1 name=message: due_at=12:00:07",
	)
	model.After("m-1", given.Filled[texts.AttemptRefused](),
		"~ messages message_id=m-1: status=retrying code=code reason=reason",
	)
	model.After("m-1", given.Filled[texts.AttemptDue](),
		"~ timers stream=message-m-1 name=message: due_at=12:00:04",
	)
	model.After("m-1", given.Filled[texts.Sent](),
		"~ messages message_id=m-1: status=sent provider_message_id=providerMessageId segments=5 code= reason= ended_at=12:00:11",
		"- timers stream=message-m-1 name=message",
	)
	model.After("m-2", given.Filled(func(e *texts.Requested) { e.Campaign = nil }),
		"+ messages message_id=m-2 tenant=tenantId project_id=projectId sender=from recipient=to body=text status=queued "+
			"requested_at=12:00:13 send_by=12:00:14",
		"+ timers stream=message-m-2 name=message topic=parley.messages tenant=tenantId due_at=12:00:14 claimed_until=-infinity",
	)
	model.After("m-2", given.Filled[texts.Failed](),
		"~ messages message_id=m-2: status=failed code=code reason=reason ended_at=12:00:11",
		"- timers stream=message-m-2 name=message",
	)
}
