package contactcenter_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/projections/contactcenter"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// Given the events of voicemails, then these are the rows after each.
func TestRowsOfVoicemails(t *testing.T) {
	model := given.Open(t).Follow(contactcenter.VoicemailsModel)
	model.After("v-1", given.Filled[voicemails.Recorded](),
		"+ voicemails voicemail_id=v-1 tenant=tenantId project_id=projectId session_id=sessionId file_id=fileId "+
			"file_name=fileName caller_id=callerId language=language duration_ms=10 recorded_at=12:00:17 transcription=pending",
	)
	model.After("v-1", given.Filled[voicemails.TranscriptionAttemptFailed](),
		"+ timers stream=voicemail-v-1 name=transcription topic=parley.voicemails tenant=tenantId due_at=12:00:05 "+
			"claimed_until=-infinity",
	)
	model.After("v-1", given.Filled[voicemails.TranscriptionDue](),
		"- timers stream=voicemail-v-1 name=transcription",
	)
	model.After("v-1", given.Filled[voicemails.TranscriptionAttemptFailed](),
		"+ timers stream=voicemail-v-1 name=transcription topic=parley.voicemails tenant=tenantId due_at=12:00:05 "+
			"claimed_until=-infinity",
	)
	model.After("v-1", given.Filled[voicemails.TranscriptionFailed](),
		"~ voicemails voicemail_id=v-1: transcription=failed",
		"- timers stream=voicemail-v-1 name=transcription",
	)
	model.After("v-1", given.Filled[voicemails.TranscriptionAttemptFailed](),
		"+ timers stream=voicemail-v-1 name=transcription topic=parley.voicemails tenant=tenantId due_at=12:00:05 "+
			"claimed_until=-infinity",
	)
	model.After("v-1", given.Filled[voicemails.TranscriptionAsked](),
		"~ voicemails voicemail_id=v-1: transcription=pending",
		"- timers stream=voicemail-v-1 name=transcription",
	)
	model.After("v-1", given.Filled[voicemails.TranscriptionAttemptFailed](),
		"+ timers stream=voicemail-v-1 name=transcription topic=parley.voicemails tenant=tenantId due_at=12:00:05 "+
			"claimed_until=-infinity",
	)
	model.After("v-1", given.Filled[voicemails.Transcribed](),
		"~ voicemails voicemail_id=v-1: transcription=done transcript=text provider=provider transcribed_at=12:00:10",
		"- timers stream=voicemail-v-1 name=transcription",
	)
	model.After("v-1", given.Filled[voicemails.TranscriptionAsked](),
		"~ voicemails voicemail_id=v-1: transcription=pending transcript= provider= transcribed_at=",
	)
}
