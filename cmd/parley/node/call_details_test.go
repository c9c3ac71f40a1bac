package node_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
)

// detailsPage is an answer of the call details.
type detailsPage struct {
	NumResults int              `json:"numResults"`
	Data       []map[string]any `json:"data"`
}

// started lists when the sessions of a page began.
func (p detailsPage) started() (out []string) {
	for _, r := range p.Data {
		out = append(out, r["sessionStartTime"].(string))
	}
	return out
}

func detailsPath(account string) string {
	return "/agentassist/api/public/analytics/account/" + account + "/calldetails"
}

// wantDetails asks for call details; query begins with ? or is empty.
func (w *callWorld) wantDetails(t *testing.T, body any, query string) *answer {
	t.Helper()
	return w.ask(t, "POST", detailsPath(w.one.id)+query, body, "accountId", w.one.id, "iid", mainApp)
}

func (w *callWorld) details(t *testing.T, body any, query string) (page detailsPage) {
	t.Helper()
	w.wantDetails(t, body, query).must(t, 200).into(t, &page)
	return page
}

func theTenth() fields {
	return fields{"startDate": "2026-11-10", "endDate": "2026-11-10", "timeZoneOffset": 0}
}

// detailsWorld is a world with a known past around 10 November, and the first call
// of that day.
type detailsWorld struct {
	*callWorld
	first *pastCall
}

const tied = "2026-11-10T15:00:00.000"

var startsOfTheTenth = []string{"2026-11-10T00:00:00.000", "2026-11-10T12:30:15.250", tied, tied, "2026-11-10T23:59:59.999"}

func newDetailsWorld(t *testing.T) detailsWorld {
	w := detailsWorld{callWorld: newCallWorld(t, nobodyDials)}
	session := func(on *tenant, bot, start string, by calls.Party) *pastCall {
		at, err := time.Parse("2006-01-02T15:04:05.000", start)
		require.NoError(t, err)
		return w.completed(t, w.answered(t, w.past(t, on, bot, at.Add(-5*time.Second)), at), by, at.Add(90_500*time.Millisecond))
	}
	for i, start := range slices.Backward(startsOfTheTenth) { // written in another order than read
		by := []calls.Party{calls.ByCallee, calls.ByBot, calls.ByCallee, calls.ByCallee, calls.ByGateway}[i]
		w.first = session(w.one, mainApp, start, by)
	}
	session(w.one, mainApp, "2026-11-09T23:59:59.999", calls.ByBot)
	session(w.one, mainApp, "2026-11-11T00:00:00.000", calls.ByBot)
	session(w.one, otherApp, "2026-11-10T10:00:00.000", calls.ByBot)
	session(w.two, mainApp, "2026-11-10T10:00:00.000", calls.ByBot)
	noon := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	w.answered(t, w.past(t, w.one, mainApp, noon), noon.Add(time.Second)) // still runs
	w.happened(t, w.past(t, w.one, mainApp, noon), calls.Fail{SIPCode: 486, At: noon.Add(time.Second)}.Decide)
	return w
}

func TestCallDetails(t *testing.T) {
	t.Parallel()
	w := newDetailsWorld(t)
	for name, test := range map[string]func(*testing.T, detailsWorld){
		"a record": detailRecord, "selected fields": detailSelected, "ranges": detailRanges, "time zones": detailZones,
		"pages": detailPages, "filters": detailFilters, "faults": detailFaults, "headers": detailHeaders, "who may see them": detailCredentials,
	} {
		t.Run(name, func(t *testing.T) { test(t, w) })
	}
}

func detailRecord(t *testing.T, w detailsWorld) {
	page := w.details(t, theTenth(), "")

	require.Equal(t, 5, page.NumResults)
	require.Equal(t, startsOfTheTenth, page.started())
	require.Equal(t, map[string]any{"sessionId": w.first.session, "conversationId": w.first.id, "channel": "Voice",
		"sessionStartTime": "2026-11-10T00:00:00.000",
		"sessionEndTime":   "2026-11-10T00:01:30.500", "botId": mainApp, "userId": "+15550000001", "channelSpecificUserId": "+15550000001",
		"disconnectingEvent": "User Hangup", "finalStatus": "BotResolved"}, page.Data[0])
	require.Equal(t, []any{"Bot Hangup", "BotResolved"}, []any{page.Data[1]["disconnectingEvent"], page.Data[1]["finalStatus"]})
	require.Equal(t, []any{"Gateway Hangup", "CLOSED"}, []any{page.Data[4]["disconnectingEvent"], page.Data[4]["finalStatus"]})
	require.Less(t, page.Data[2]["sessionId"], page.Data[3]["sessionId"], "of one moment, by session id")

	var raw map[string]json.RawMessage
	w.wantDetails(t, theTenth().and(fields{"startDate": "2026-10-01", "endDate": "2026-10-02"}), "").must(t, 200).into(t, &raw)
	require.Equal(t, map[string]json.RawMessage{"numResults": json.RawMessage("0"), "data": json.RawMessage("[]")}, raw)
}

func detailSelected(t *testing.T, w detailsWorld) {
	for field, want := range map[string]any{
		"skills": []any{}, "userleveltags": []any{}, "sessionleveltags": []any{},
		"customerinfo": map[string]any{"CustomerPhone": "+15550000001", "CenterPhone": callCaller, "Direction": "Outbound",
			"CustomerFirstName": "", "CustomerLastName": "", "CustomerEmail": ""},
	} {
		r := w.details(t, theTenth().and(fields{"selectedFields": []string{field}}), "?limit=1").Data[0]
		require.Len(t, r, 11)
		require.Equal(t, want, r[field])
	}
	all := []string{"skills", "customerinfo", "userleveltags", "sessionleveltags"}
	require.Len(t, w.details(t, theTenth().and(fields{"selectedFields": all}), "").Data[0], 14)
	require.Len(t, w.details(t, theTenth().and(fields{"selectedFields": []string{}}), "").Data[0], 10)
}

func detailRanges(t *testing.T, w detailsWorld) {
	for _, c := range []struct {
		start, end string
		want       int
	}{
		{"2026-11-10", "2026-11-10", 5}, {"2026-11-10 00:00:00", "2026-11-10", 5}, {"2026-11-10", "2026-11-10 23:59:59", 5},
		{"2026-11-10 00:00:01", "2026-11-10", 4}, {"2026-11-10", "2026-11-10 00:00:00", 1}, {"2026-11-10", "2026-11-10 12:30:14", 1},
		{"2026-11-10", "2026-11-10 12:30:15", 2},
		{"2026-11-10 15:00:00", "2026-11-10 15:00:00", 2}, {"2026-11-09", "2026-11-11", 7}, {"2026-11-10", "2026-11-17", 6},
		{"2026-11-04", "2026-11-11 00:00:00", 7},
	} {
		page := w.details(t, theTenth().and(fields{"startDate": c.start, "endDate": c.end}), "")
		require.Equal(t, c.want, page.NumResults, "%s to %s", c.start, c.end)
		require.Len(t, page.Data, c.want)
	}
	for _, c := range [][2]string{{"2026-11-10", "2026-11-18"}, {"2026-11-10 23:59:59", "2026-11-18 00:00:00"}, {"2026-11-10", "2026-11-09"},
		{"2026-11-10 00:00:01", "2026-11-10 00:00:00"}, {"2026-11-10", "2027-11-10"}} {
		w.wantDetails(t, theTenth().and(fields{"startDate": c[0], "endDate": c[1]}), "").refused(t, 400, fault.Validation, "endDate")
	}
}

func detailZones(t *testing.T, w detailsWorld) {
	for _, c := range []struct {
		date   string
		offset any
		want   []string
	}{
		{"2026-11-09", -300, []string{"2026-11-09T18:59:59.999", "2026-11-09T19:00:00.000"}},
		{"2026-11-11", 330, []string{"2026-11-11T05:29:59.999", "2026-11-11T05:30:00.000"}},
		{"2026-11-11", 840, []string{"2026-11-11T02:30:15.250", "2026-11-11T05:00:00.000", "2026-11-11T05:00:00.000", "2026-11-11T13:59:59.999",
			"2026-11-11T14:00:00.000"}},
	} {
		page := w.details(t, fields{"startDate": c.date, "endDate": c.date, "timeZoneOffset": c.offset}, "")
		require.Equal(t, c.want, page.started(), "%s in %v", c.date, c.offset)
	}
}

func detailPages(t *testing.T, w detailsWorld) {
	for query, want := range map[string][]string{
		"?limit=100": startsOfTheTenth, "?limit=2": startsOfTheTenth[:2], "?limit=2&offset=1": startsOfTheTenth[1:3],
		"?offset=4": startsOfTheTenth[4:], "?offset=10": nil, "?offset=0&limit=1": startsOfTheTenth[:1],
	} {
		page := w.details(t, theTenth(), query)
		require.Equal(t, want, page.started(), query)
		require.Equal(t, 5, page.NumResults, "all matches, whatever the page: %s", query)
	}
	for query, field := range map[string]string{"?limit=101": "limit", "?limit=0": "limit", "?limit=-1": "limit", "?limit=many": "limit",
		"?offset=11": "offset", "?offset=-1": "offset", "?offset=1.5": "offset"} {
		w.wantDetails(t, theTenth(), query).refused(t, 400, fault.Validation, field)
	}
}

func detailFilters(t *testing.T, w detailsWorld) {
	for name, c := range map[string]struct {
		filter fields
		want   int
	}{
		"voice": {fields{"channels": []string{"voice"}}, 5}, "Voice": {fields{"channels": []string{"Voice"}}, 5},
		"both":               {fields{"channels": []string{"VOICE", "voice"}}, 5},
		"as records show it": {fields{"channels": []string{"Web/Mobile Client"}}, 0},
		"rtm":                {fields{"channels": []string{"rtm"}}, 0}, "either": {fields{"channels": []string{"rtm", "voice"}}, 5},
		"no channel filter": {fields{"channels": []string{}}, 5},
		"as many as there may be": {fields{"channels": slices.Repeat([]string{"voice"}, 50), "selectedFields": slices.Repeat([]string{"skills"},
			10), "queues": slices.Repeat([]string{"q-1"}, 200)}, 0},
		"another kind": {fields{"channels": []string{"whatsapp", "sms"}}, 0}, "a queue": {fields{"queues": []string{"q-1"}}, 0},
		"no queue filter": {fields{"queues": []string{}}, 5},
	} {
		page := w.details(t, theTenth().and(c.filter), "")
		require.Equal(t, c.want, page.NumResults, name)
		require.Len(t, page.Data, c.want, name)
	}
}

func detailFaults(t *testing.T, w detailsWorld) {
	for field, changes := range map[string][]fields{
		"startDate": {{"startDate": nil}, {"startDate": 7}, {"startDate": ""}, {"startDate": "2026-11-10T00:00:00"}, {"startDate": "10.11.2026"},
			{"startDate": "2026-02-30"}, {"startDate": "2026-11-10 24:00:00"},
			{"startDate": "2026-11-10 00:00:00.5"}, {"startDate": "2026-11-10 00:00"}, {"startDate": "2026-1-1"}, {"startDate": " 2026-11-10"},
			{"startDate": "2026-11-10 1:00:00"}},
		"endDate": {{"endDate": nil}, {"endDate": "tomorrow"}, {"endDate": "2026-11-10 23:59:59.9"}},
		"timeZoneOffset": {{"timeZoneOffset": nil}, {"timeZoneOffset": "60"}, {"timeZoneOffset": 1.5}, {"timeZoneOffset": 841},
			{"timeZoneOffset": -841}},
		"channels":          {{"channels": "voice"}, {"channels": slices.Repeat([]string{"voice"}, 51)}},
		"channels[1]":       {{"channels": []string{"voice", "fax"}}, {"channels": []string{"voice", "Voice mail"}}},
		"selectedFields[0]": {{"selectedFields": []string{"agents"}}, {"selectedFields": []string{"customerInfo"}}},
		"selectedFields":    {{"selectedFields": slices.Repeat([]string{"skills"}, 11)}},
		"queues":            {{"queues": "q-1"}, {"queues": slices.Repeat([]string{"q-1"}, 201)}},
		"queues[1]":         {{"queues": []string{"q-1", "' OR 1=1 --"}}},
	} {
		for _, change := range changes {
			got := w.wantDetails(t, theTenth().and(change), "")
			require.Equal(t, 400, got.Status, "%v: %s", change, got.Text)
			got.refused(t, 400, fault.Validation, field)
		}
	}
	w.wantDetails(t, fields{"startDate": "x", "endDate": "y", "timeZoneOffset": 0, "channels": []string{"z"}}, "").refused(t, 400,
		fault.Validation, "channels[0]", "endDate", "startDate")
	w.wantDetails(t, `{`, "").refused(t, 400, fault.BadRequest)
}

func detailHeaders(t *testing.T, w detailsWorld) {
	send := func(path string, headers ...string) *answer { return w.ask(t, "POST", path, theTenth(), headers...) }
	own := detailsPath(w.one.id)
	send(own, "iid", mainApp).refused(t, 400, fault.Validation, "accountId")
	send(own, "accountId", w.one.id).refused(t, 400, fault.Validation, "iid")
	send(own).refused(t, 400, fault.Validation, "accountId", "iid")
	send(own, "accountId", w.two.id, "iid", mainApp).refused(t, 404, fault.NotFound)
	send(detailsPath(w.two.id), "accountId", w.one.id, "iid", mainApp).refused(t, 404, fault.NotFound)
	for _, iid := range []string{"unknown", foreignBot} {
		send(own, "accountId", w.one.id, "iid", iid).refused(t, 404, fault.NotFound)
	}
	var page detailsPage
	send(own, "accountId", w.one.id, "iid", mainAlias).must(t, 200).into(t, &page)
	require.Equal(t, 5, page.NumResults)
	require.Equal(t, mainApp, page.Data[0]["botId"], "whatever name it was asked by")

	for _, names := range [][3]string{{"auth", "accountid", "iid"}, {"AUTH", "ACCOUNTID", "IID"}, {"Auth", "accountId", "iId"}} {
		body, err := json.Marshal(theTenth())
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.URL()+own, bytes.NewReader(body))
		require.NoError(t, err)
		r.Header = http.Header{names[0]: {w.auth}, names[1]: {w.one.id}, names[2]: {mainApp}, "Content-Type": {"application/json"}} // as spelt
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, 200, res.StatusCode, fmt.Sprint(names))
	}
}

func detailCredentials(t *testing.T, w detailsWorld) {
	send := func(of *tenant, iid string, credential ...string) *answer {
		return w.do(t, "POST", detailsPath(of.id), theTenth(), append([]string{"accountId", of.id, "iid", iid}, credential...)...)
	}
	send(w.one, mainApp).refused(t, 401, fault.Unauthorized)
	send(w.one, mainApp, "x-api-key", w.one.key(t, mainScope)).refused(t, 401, fault.Unauthorized)
	var page detailsPage
	for iid, want := range map[string]int{mainApp: 1, otherApp: 0, foreignBot: 0} { // account two has its own, and nothing of account one's
		send(w.two, iid, "auth", w.two.token(t)).must(t, 200).into(t, &page)
		require.Equal(t, want, page.NumResults, iid)
	}
}
