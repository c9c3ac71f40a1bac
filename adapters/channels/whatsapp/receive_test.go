package whatsapp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/graph/graphtest"
	"github.com/parley-platform/parley/adapters/channels/whatsapp"
	"github.com/parley-platform/parley/domain/channels"
)

var said = time.Unix(1_749_416_383, 0).UTC()

// change is what happened to a number, by the field of the webhook.
func change(field, number, members string) string {
	return `{"id":"WABA","changes":[{"field":"` + field + `","value":{"messaging_product":"whatsapp","metadata":{` +
		`"display_phone_number":"+1 555-078-3881","phone_number_id":"` + number + `"},` + members + `}}]}`
}

func post(entries ...string) channels.Request {
	return graphtest.Post("whatsapp", `{"object":"whatsapp_business_account","entry":[`+strings.Join(entries, ",")+`]}`)
}

const (
	ann     = `"contacts":[{"profile":{"name":"Ann","username":"@ann"},"wa_id":"16505551234","user_id":"US.1349"}]`
	both    = `"from":"16505551234","from_user_id":"US.1349"`
	started = `"id":"wamid.X","timestamp":"1749416383"`
)

// message is one of Ann's; members beside its id and time.
func message(members string) channels.Request {
	return post(change("messages", "1065", ann+`,"messages":[{`+started+`,`+members+`}]`))
}

// of is what Ann says, with what tells it from another message.
func of(change func(e *channels.Entry)) channels.Received {
	e := channels.Entry{ExternalID: "wamid.X", Thread: "1065:US.1349", From: "16505551234", Name: "Ann", ReplyTo: "US.1349 wamid.X", At: said}
	change(&e)
	return channels.Received{Entries: []channels.Entry{e}}
}

// tap is what Ann chose of what she was shown.
func tap(kind, id, title string) channels.Request {
	return message(both + `,"type":"interactive","interactive":{"type":"` + kind + `","` + kind + `":{"id":"` + id + `","title":"` + title +
		`","description":"natural"}}`)
}

// media is a file of Ann's.
func media(kind, members string) channels.Request {
	return message(both + `,"type":"` + kind + `","` + kind + `":{` + members + `}`)
}

func text(words string) func(e *channels.Entry) { return func(e *channels.Entry) { e.Text = words } }

func file(f channels.File, caption string) func(e *channels.Entry) {
	return func(e *channels.Entry) { e.Text, e.Files = caption, []channels.File{f} }
}

func pressed(token, label string) func(e *channels.Entry) {
	return func(e *channels.Entry) { e.Choice, e.Text = token, label }
}

func report(id, status string, state channels.State, code string) channels.Report {
	return channels.Report{ExternalID: id + ":" + status, ProviderMessageID: id, State: state, Code: code}
}

var inbound = &channelstest.Inbound{Sign: graphtest.Sign, Another: another, Extend: graphtest.Extend,
	Vectors: graphtest.Vectors("whatsapp"),
	Says: map[string]channelstest.Said{
		"a text": {Request: message(both + `,"type":"text","text":{"body":"h\u00e9llo"},"context":{"id":"wamid.prev"}`), Want: of(text("héllo"))},
		"by a number alone": {Request: message(`"from":"16505551234","type":"text","text":{"body":"hi"}`), Want: of(func(e *channels.Entry) {
			e.Text, e.Thread, e.ReplyTo = "hi", "1065:16505551234", "16505551234 wamid.X"
		})},
		"by who shows no number": {Request: message(`"from_user_id":"US.1349","type":"text","text":{"body":"hi"}`),
			Want: of(func(e *channels.Entry) { e.Text, e.From = "hi", "US.1349" })},
		"in a group": {Request: message(both + `,"group_id":"Y2Fw","type":"text","text":{"body":"hi"}`), Want: of(func(e *channels.Entry) {
			e.Text, e.Thread, e.ReplyTo = "hi", "1065:Y2Fw", "group:Y2Fw wamid.X"
		})},
		"a button":                    {Request: tap("button_reply", "1.0", "Yes"), Want: of(pressed("1.0", "Yes"))},
		"a row of a list":             {Request: tap("list_reply", "12.9", "Gas"), Want: of(pressed("12.9", "Gas"))},
		"a button of somebody else's": {Request: tap("button_reply", "promo-7", "Show me"), Want: of(text("Show me"))},
		"a button of a template":      {Request: media("button", `"payload":"1.0","text":"Stop it"`), Want: of(text("Stop it"))},
		"a form": {Request: message(both + `,"type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"response_json":"{\"a\":1}",` +
			`"body":"Sent","name":"flow"}}`), Want: of(text(`{"a":1}`))},
		"a picture": {Request: media("image", `"id":"M1","mime_type":"image/jpeg","sha256":"x","caption":"look"`),
			Want: of(file(channels.File{ID: "M1", ContentType: "image/jpeg"}, "look"))},
		"a document": {Request: media("document", `"id":"M2","mime_type":"application/pdf","filename":"bill.pdf"`),
			Want: of(file(channels.File{ID: "M2", Name: "bill.pdf", ContentType: "application/pdf"}, ""))},
		"a voice": {Request: media("audio", `"id":"M3","mime_type":"audio/ogg; codecs=opus","voice":true`),
			Want: of(file(channels.File{ID: "M3", ContentType: "audio/ogg; codecs=opus"}, ""))},
		"a film": {Request: media("video", `"id":"M4","mime_type":"video/mp4"`),
			Want: of(file(channels.File{ID: "M4", ContentType: "video/mp4"}, ""))},
		"a sticker": {Request: media("sticker", `"id":"M5","mime_type":"image/webp"`),
			Want: of(file(channels.File{ID: "M5", ContentType: "image/webp"}, ""))},
		"a place": {Request: message(both + `,"type":"location","location":{"latitude":52.5,"longitude":13.25,"name":"Shop"}`),
			Want: of(text("52.5, 13.25\nShop"))},
		"what became of messages": {Request: post(change("messages", "1065", `"statuses":[{"id":"wamid.1","status":"sent"},`+
			`{"id":"wamid.1","status":"delivered"},{"id":"wamid.2","status":"read"},{"id":"wamid.3","status":"failed","errors":[{"code":131047,`+
			`"title":"Re-engagement message"}]},{"id":"wamid.4","status":"warning"},{"status":"sent"}]`)),
			Want: channels.Received{Reports: []channels.Report{report("wamid.1", "sent", channels.Underway, ""),
				report("wamid.1", "delivered", channels.Delivered, ""), report("wamid.2", "read", channels.Read, ""),
				report("wamid.3", "failed", channels.Undelivered, "131047")}}},
		"several, in any order": {Request: post(
			change("messages", "1067", `"messages":[{"from":"1","id":"wamid.o","type":"text","text":{"body":"for another"}}]`),
			change("messages", "1065", ann+`,"messages":[{"id":"wamid.Y","timestamp":"1749416384",`+both+`,"type":"text","text":{"body":"second"}},`+
				`{`+started+`,`+both+`,"type":"text","text":{"body":"first"}}]`)),
			Want: channels.Received{Entries: append(of(text("first")).Entries, of(func(e *channels.Entry) {
				e.ExternalID, e.Text, e.ReplyTo, e.At = "wamid.Y", "second", "US.1349 wamid.Y", said.Add(time.Second)
			}).Entries...)}},
	},
	Ignored: map[string]channels.Request{
		"echo": post(change("smb_message_echoes", "1065",
			`"messages":[{`+started+`,"from":"15550783881","type":"text","text":{"body":"x"}}]`)),
		"the business itself":  message(`"from":"15550783881","type":"text","text":{"body":"x"}`),
		"a field of others":    post(change("history", "1065", `"messages":[{`+started+`,`+both+`,"type":"text","text":{"body":"x"}}]`)),
		"a field without kin":  post(`{"id":"WABA","changes":[{"field":"account_update","value":["what else"]}]}`),
		"a reaction":           message(both + `,"type":"reaction","reaction":{"message_id":"wamid.1","emoji":"👍"}`),
		"a word of the system": message(`"from":"16505551234","type":"system","system":{"type":"user_changed_number"}`),
		"what it cannot show":  message(both + `,"type":"unsupported","errors":[{"code":131051}]`),
		"a type of tomorrow":   message(both + `,"type":"hologram","hologram":{"id":"1"}`),
		"a text without words": message(both + `,"type":"text"`),
		"a picture without id": message(both + `,"type":"image","image":{}`),
		"a place without one":  message(both + `,"type":"location","location":{"name":"Shop"}`),
		"by nobody":            message(`"type":"text","text":{"body":"hi"}`),
		"without an id":        post(change("messages", "1065", `"messages":[{`+both+`,"type":"text","text":{"body":"hi"}}]`)),
		"nothing":              post(),
	},
}

// Given a part of a request that nobody can read, then what stands beside it is read, and the part is
// told.
func TestOnePartThatCannotBeReadTakesNoOtherAlong(t *testing.T) {
	w, err := whatsapp.New("")
	require.NoError(t, err)
	hi := `{` + started + `,` + both + `,"type":"text","text":{"body":"hi"}}`
	got, err := w.Parse(connection, post(`"no entry of 1065"`, change("messages", "1065", `"messages":7`),
		change("messages", "1065", ann+`,"messages":[{"id":7},`+hi+`],"statuses":[{"id":"wamid.1","status":"sent"},[]]`)))
	require.EqualError(t, err, "reading a request of Meta: a part of it is not what Meta sends")
	require.Equal(t, of(text("hi")).Entries, got.Entries)
	require.Len(t, got.Reports, 1)
	page := post(change("messages", "1065", ann+`,"messages":[`+hi+`]`))
	page.Body = []byte(strings.Replace(string(page.Body), "whatsapp_business_account", "page", 1))
	got, err = w.Parse(connection, page)
	require.EqualError(t, err, "reading a request of Meta: the envelope is not of whatsapp_business_account")
	require.Empty(t, got)
	require.Empty(t, w.Routes(page))
}
