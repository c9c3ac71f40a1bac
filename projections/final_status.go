package projections

import (
	"fmt"
	"strings"

	"github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
)

// finalStatusOf is the expression for what a session came to, in a query over a table with
// tenant, project_id, session_id and ended_at: base is what it would be if no person had
// been asked for, hangup the disconnecting event, conversation the id of its own
// conversation. The query finds the facts of the ending; what follows from them is
// reporting.Ending's, which has been asked about all of them beforehand.
func finalStatusOf(table, base, hangup, conversation string) string {
	const named = `p.stream_id IN ($of.tenant || '.' || $of.project_id || '.' || $conversation,
		$of.tenant || '.' || $of.project_id || '.' || $of.session_id)` // by the ids under which hooks may tell of it
	asked := decided(func(is func() bool) reporting.Ending {
		return reporting.Ending{Of: reporting.BotResolved, Asked: true, Had: is(), Over: is(), WithSession: is(), Queued: is(),
			UserHungUp: is()}
	}, `coalesce(t.assigned_at <= $of.ended_at AND t.status <> '`+string(transfers.PhaseFailed)+`', false)
			OR EXISTS (SELECT FROM conversations c
			JOIN conversation_participants p ON p.stream_id = c.stream_id
			WHERE c.tenant = t.tenant AND c.project_id = t.project_id AND c.session_id = t.session_id AND p.entered_at >= t.requested_at)
			OR EXISTS (SELECT FROM conversation_participants p WHERE `+named+` AND p.entered_at >= t.requested_at)`,
		`t.ended_at IS NOT NULL`, `coalesce(t.reason = 'SESSION_ENDED', false)`, `t.queued_at IS NOT NULL`,
		`coalesce($hangup = '`+reporting.UserHangup+`', false)`)
	unasked := decided(func(is func() bool) reporting.Ending { return reporting.Ending{Of: reporting.BotResolved, Told: is()} },
		`EXISTS (SELECT FROM conversations c JOIN conversation_participants p ON p.stream_id = c.stream_id
			WHERE c.tenant = $of.tenant AND c.project_id = $of.project_id AND c.session_id <> '' AND c.session_id = $of.session_id)
		OR EXISTS (SELECT FROM conversation_participants p WHERE `+named+`)`)
	return strings.NewReplacer("$base", base, "$of", table, "$hangup", hangup, "$conversation", conversation).Replace(`
		CASE WHEN $base <> '` + string(reporting.BotResolved) + `' THEN $base ELSE coalesce(
		(SELECT ` + asked + ` FROM transfers t WHERE t.tenant = $of.tenant AND t.session_id = $of.session_id
			ORDER BY t.turn DESC, t.transfer_id DESC LIMIT 1),
		` + unasked + `) END`)
}

// decided is the expression that looks up the status of an ending by its facts, each an
// expression that is true or false, in the order in which ending asks for them.
func decided(ending func(is func() bool) reporting.Ending, facts ...string) string {
	statuses, place := make([]string, 1<<len(facts)), "1"
	for which := range statuses {
		fact := 0
		statuses[which] = string(ending(func() bool { fact++; return which>>(fact-1)&1 == 1 }).Status())
	}
	for i, fact := range facts {
		place += fmt.Sprintf(" + %d * (%s)::int", 1<<i, fact)
	}
	return "('{" + strings.Join(statuses, ",") + "}'::text[])[" + place + "]"
}

// HangupOfChat is the expression for who ended a session that is no call's: its agent, or who talked
// with it, be it by saying nothing any more.
const HangupOfChat = `CASE s.ended_by WHEN '` + sessions.Completed + `' THEN '` + reporting.BotHangup +
	`' ELSE '` + reporting.UserHangup + `' END`

// Of calls and of sessions that are no call's.
var (
	FinalStatusOfCall = finalStatusOf("i", "i.final_status", "i.disconnecting", "i.conversation_id")
	FinalStatusOfChat = finalStatusOf("s", "'"+string(reporting.BotResolved)+"'", "("+HangupOfChat+")", "s.session_id")
)
