package projections

import "strings"

// The finalStatus of call details (docs/api-rules.md "Call details").
const (
	BotResolved     = "BotResolved"     // no person was asked for
	Abandoned       = "Abandoned"       // one was waited for until the end, or in vain
	MachineDetected = "MachineDetected" // a machine had answered
	Closed          = "CLOSED"          // a person had it, or a failure ended it
)

// finalStatusOf is the expression for how a session ended, in a query over a table with
// tenant, project_id, session_id and ended_at: base is what it would be if no person had
// been asked for, hangup the disconnecting event, conversation the id of its own
// conversation. The last transfer decides, for its caller may have had a person before.
func finalStatusOf(table, base, hangup, conversation string) string {
	return strings.NewReplacer("$base", base, "$of", table, "$hangup", hangup, "$conversation", conversation).Replace(`
		CASE WHEN $base <> 'BotResolved' THEN $base ELSE coalesce(
		(SELECT CASE
			WHEN t.assigned_at <= $of.ended_at OR EXISTS (SELECT FROM conversations c JOIN conversation_participants p ON p.stream_id = c.stream_id
				WHERE c.tenant = t.tenant AND c.project_id = t.project_id AND c.session_id = t.session_id
				AND p.entered_at >= t.requested_at) THEN 'CLOSED'
			WHEN t.ended_at IS NULL OR t.reason = 'SESSION_ENDED' OR t.queued_at IS NOT NULL AND $hangup = 'User Hangup' THEN 'Abandoned'
			ELSE 'CLOSED' END
		FROM transfers t WHERE t.tenant = $of.tenant AND t.session_id = $of.session_id ORDER BY t.turn DESC, t.transfer_id DESC LIMIT 1),
		CASE WHEN EXISTS (SELECT FROM conversations c JOIN conversation_participants p ON p.stream_id = c.stream_id
				WHERE c.tenant = $of.tenant AND c.project_id = $of.project_id AND c.session_id <> '' AND c.session_id = $of.session_id)
			OR EXISTS (SELECT FROM conversation_participants p
				WHERE p.stream_id = $of.tenant || '.' || $of.project_id || '.' || $conversation) THEN 'CLOSED'
		ELSE 'BotResolved' END) END`)
}

// Of calls and of sessions that are no call's.
var (
	FinalStatusOfCall = finalStatusOf("i", "i.final_status", "i.disconnecting", "i.conversation_id")
	FinalStatusOfChat = finalStatusOf("s", "'BotResolved'", "'User Hangup'", "s.session_id")
)
