package email_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// Given mails as programs write them, then their words are read: the new ones.
func TestWhatAMailSays(t *testing.T) {
	p := newPost(t, names{})
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Subject: Where?\n", "x"))) // without an id it is derived
	alternative := "Content-Type: multipart/alternative; boundary=b\n"
	for name, c := range map[string]struct{ headers, body, want string }{
		"latin1":               {"Content-Type: text/plain; charset=iso-8859-1\n", "Gr\xf6\xdfe", "Größe"},
		"none is said":         {"Content-Type: text/plain\n", "Gr\xfc\xdfe", "Grüße"},
		"nothing is said":      {"", "Gr\xfc\xdfe", "Grüße"},
		"utf-8, unsaid":        {"", "Grüße", "Grüße"},
		"an unknown set":       {"Content-Type: text/plain; charset=klingon\n", "caf\xe9", "caf\uFFFD"},
		"a set that it is not": {"Content-Type: text/plain; charset=utf-8\n", "caf\xe9 \x00x", "caf\uFFFD x"},
		"ascii that is none":   {"Content-Type: text/plain; charset=us-ascii\n", "Gr\xfc\xdfe", "Grüße"},
		"a set misspelled":     {"Content-Type: text/plain; charset=iso8859-1\n", "Gr\xfc\xdfe", "Grüße"},
		"a subject's set":      {"Subject: =?utf8?B?R3LDvMOfZQ==?= =?cp1251?B?z/Do4uXy?=\n", "", "GrüßeПривет"},
		"a subject of no set":  {"Subject: Gr\xfc\xdfe\n", "", "Grüße"},
		"japanese":             {"Content-Type: text/plain; charset=iso-2022-jp\n", "\x1b$B$3$s$K$A$O\x1b(B", "こんにちは"},
		"base64":               {"Content-Transfer-Encoding: base64\n", "SGk=", "Hi"},
		"broken base64":        {"Content-Transfer-Encoding: base64\n", "SGkgdGhl$$$", "Hi the"},
		"an unknown encoding":  {"Content-Transfer-Encoding: rot13\n", "Uv", "Uv"},
		"words and a page":     {alternative, "--b\n\nHi\n--b\nContent-Type: text/html\n\n<p>No</p>\n--b--\n", "Hi"},
		"a page alone":         {"Content-Type: text/html\n", "<style>p{}</style><p>Fish &amp; <b>chips</b></p><p>now", "Fish & chips\nnow"},
		"a page that quotes":   {"Content-Type: text/html\n", "<p>Yes</p><div>On Monday Bob wrote:</div><blockquote>Fish?</blockquote>", "Yes"},
		"words of letters": {"Content-Type: text/html\n",
			"<p><b>12</b>345 <i>kWh</i>, ok<b>!</b><img> Now<td>5 &lt; 6", "12345 kWh, ok! Now 5 < 6"},
		"no tags, and a value":   {"Content-Type: text/html\n", `<p>3 < 4 and <img alt="5 > 4" src=x>so <3`, "3 < 4 and so <3"},
		"a value without end":    {"Content-Type: text/html\n", `<p>See <a href="x>this</a> one`, "See this one"},
		"quotes below":           {"", "Yes\n\nOn Mon, 24 Nov 2026 at 10:00, Shop\n<shop@acme.example> wrote:\n> Fish?\n>\n> Chips?\n", "Yes"},
		"quotes in German":       {"", "Ja\n\nAm 24.11.26 um 10:00 schrieb Shop:\n> Fisch?\n", "Ja"},
		"quotes between":         {"", "> Fish?\nYes\n> Chips?\nNo\n", "> Fish?\nYes\n> Chips?\nNo"},
		"nothing but quotes":     {"", "> Fish?\n", "> Fish?"},
		"a telephone":            {"", "2\n\nSent from my iPhone\n\n> On 24 Nov 2026, at 10:00, Shop <s@x> wrote:\n> Which?\n", "2"},
		"a telephone, elsewhere": {"", "Ja\n\nVon meinem Samsung Galaxy gesendet\n", "Ja"},
		"a telephone's program": {"",
			"2\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\nFrom: Shop\nSent: Monday\n", "2"},
		"a program's link": {"",
			"2\n\nSent with [Proton Mail](https://proton.me/) secure email.\n\n------- Original Message -------\nWhich?\n", "2"},
		"words like a telephone": {"", "Where?\n\nSent from Oslo on Monday\n", "Where?\n\nSent from Oslo on Monday"},
		"nobody sees it":         {"", "\ufeff\u200b2\u200b\n", "2"},
		"a signature":            {"", "Yes\n-- \nAnn\nCEO\n", "Yes"},
		"an original":            {"", "Yes\n\n-----Original Message-----\nFrom: shop\nFish?\n", "Yes"},
		"a head below a line": {"", "Yes\n\n________________________________\nFrom: Shop <shop@acme.example>\nSent: Monday\nTo: Ann\n\nFish?\n",
			"Yes"},
		"a head in German": {"", "Ja\n\nVon: Shop\nGesendet: Montag\nAn: Ann\nBetreff: Re: x\n\nFisch?\n", "Ja"},
		"a head of a page": {"Content-Type: text/html\n",
			"<p>Yes</p><hr><div><b>From:</b> Shop<br><b>Sent:</b> Monday<br></div>Fish?", "Yes"},
		"a mail passed on":      {"Subject: FW: Fish\n", "See\n\nFrom: Bob\nSent: Monday\n\nFish?\n", "See\n\nFrom: Bob\nSent: Monday\n\nFish?"},
		"words like a head":     {"", "I go\nFrom: Rome\nTo: Oslo\n", "I go\nFrom: Rome\nTo: Oslo"},
		"the subject says it":   {"Subject: Where is it?\n", "\n", "Where is it?"},
		"no such boundary":      {alternative, "Hi", "Where?"},
		"parts without an end":  {alternative, "--b\n\nHi", "Hi"},
		"a part that is a part": {"Content-Type: multipart/mixed; boundary=c\n", "--c\n" + alternative + "\n--b\n\nHi\n--b--\n--c--\n", "Hi"},
	} {
		headers := c.headers
		if !strings.Contains(headers, "Subject") {
			headers += "Subject: Where?\n"
		}
		headers += "Message-ID: <" + strings.ReplaceAll(name, " ", "-") + "@x>\n"
		require.Zero(t, p.brings(ann, "shop@acme.example", mail(headers, c.body)), name)
		require.Equal(t, c.want, p.last().Text, name)
	}
	long := strings.Repeat("word ", 20_000)
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <long@x>\n", long+"\n.\n")), "longer than a line of mail may be")
	require.Equal(t, strings.TrimSpace(long)+" \n.", p.last().Text)
	require.Regexp(t, `^[0-9a-f]{64}@without-a-message-id$`, p.all[0].ExternalID)
	require.NotContains(t, p.all[0].ReplyTo, "without-a-message-id", "nobody has that id")

	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <f@x>\nContent-Type: multipart/mixed; boundary=b\n",
		"--b\n\nSee\n--b\nContent-Type: image/png; name=dot.png\nContent-Disposition: attachment\n"+
			"Content-Transfer-Encoding: base64\n\nAAEC\n--b--\n")))
	require.Equal(t, []channels.File{{Name: "dot.png", ContentType: "image/png", Size: 3}}, p.last().Files)
	require.Equal(t, [][]byte{{0, 1, 2}}, p.contents)

	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <g@x>\nContent-Type: multipart/mixed; boundary=b\n",
		"--b\n\nSee\n--b\nContent-Type: text/plain; name=notes of today.txt\nContent-Disposition: attachment; filename=notes of today.txt\n"+
			"Content-Transfer-Encoding: base64\n\nSGk=\n--b\nContent-Type: image/png\n\nx\n--b\nContent-Type: text/html\n\n<p>it</p>\n--b--\n")))
	require.Equal(t, "See\nit", p.last().Text, "what is in a file is not said")
	require.Equal(t, channels.File{Name: "notes of today.txt", ContentType: "text/plain", Size: 2}, p.last().Files[0])
	require.Equal(t, "Hi", string(p.contents[0]))

	many := strings.Repeat("--b\n\n"+strings.Repeat("\u00e9 ", 80_000)+"\n", 8)
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <i@x>\nContent-Type: multipart/mixed; boundary=b\n", many+"--b--\n")))
	require.Less(t, len(p.last().Text), 300_000, "more is more than can wait, however often it comes again")
	require.Equal(t, "\u00e9", strings.Trim(p.last().Text, "\u00e9 \n")+"\u00e9")

	name := strings.Repeat("n", 250) + ".txt"
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Message-ID: <h@x>\nContent-Type: text/plain; name="+name+"\n", "x")))
	require.Equal(t, name, p.last().Files[0].Name, "its ending is at its end")
}

// Given senders as programs write them, then the address of the one who wrote is known.
func TestWhoWroteAMail(t *testing.T) {
	p := newPost(t, names{})
	for from, want := range map[string]string{
		"Lee, Ann <Ann@customer.example>":               "ann@customer.example",
		"info@shop.example <ann@customer.example>":      "ann@customer.example",
		`"info@shop.example" <ann@customer.example>`:    "ann@customer.example",
		"ann@customer.example (Ann), bob@other.example": "ann@customer.example",
		"undisclosed:;":                      "envelope@customer.example",
		"Ann <Ann..Lee.@docomo.ne.jp>":       "ann..lee.@docomo.ne.jp",
		`"Ann..Lee."@docomo.ne.jp (Ann Lee)`: "ann..lee.@docomo.ne.jp",
		"ann.@docomo.ne.jp":                  "ann.@docomo.ne.jp",
	} {
		require.Zero(t, p.brings("envelope@customer.example", "shop@acme.example", "From: "+from+"\n\nHi\n"), from)
		require.Equal(t, want+" to shop@acme.example", p.last().From, from)
	}
	require.Zero(t, p.brings("a..b@docomo.ne.jp", "shop@acme.example", "From: =?iso-2022-jp?B?GyRCMFUbKEI=?= <a..b@docomo.ne.jp>\n\nHi\n"))
	require.Equal(t, "\u610f", p.last().Name, "who has such an address has a name, too")
	require.Contains(t, p.last().ReplyTo, `"to":"a..b@docomo.ne.jp"`)
}

// Given a mail without words, then the conversation has what it is: the events that it invites to, the subject, or a file. One that
// has nothing at all is taken, and nothing begins.
func TestAMailWithoutWords(t *testing.T) {
	p := newPost(t, names{})
	calendar := "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VTIMEZONE\nTZID:Oslo\nEND:VTIMEZONE\nBEGIN:VEVENT\nSUMMARY:Lunch\\, at noon\n" +
		"DTSTART;TZID=Europe/Oslo:20261201T120000\nLOCATION:Caf\n \u00e9\nDESCRIPTION:Bring:\\nfish\n" +
		"BEGIN:VALARM\nDESCRIPTION:REMINDER\nEND:VALARM\n" +
		"END:VEVENT\nEND:VCALENDAR\n"
	event := "Lunch, at noon\nBegins: 20261201T120000 (Europe/Oslo)\nWhere: Caf\u00e9\nBring:\nfish"
	invite := []channels.File{{Name: "invite.ics", ContentType: "text/calendar", Size: int64(len(strings.ReplaceAll(calendar, "\n", "\r\n")))}}
	of := "Content-Type: text/calendar; charset=utf-8; method=REQUEST\n"
	for name, c := range map[string]struct {
		headers, body, want string
		files               []channels.File
	}{
		"an invitation alone": {of, calendar, event, invite},
		"an invitation with words": {"Content-Type: multipart/alternative; boundary=b\n", "--b\n\nWill you come?\n--b\n" + of + "\n" + calendar +
			"\n--b--\n", "Will you come?", invite},
		"a calendar of nothing": {"Subject: Busy\n" + of, "BEGIN:VCALENDAR\nEND:VCALENDAR\n", "Busy",
			[]channels.File{{Name: "invite.ics", ContentType: "text/calendar", Size: 32}}},
		"a calendar that breaks off": {"Subject: Busy\n" + of, "BEGIN:VEVENT\n", "Busy",
			[]channels.File{{Name: "invite.ics", ContentType: "text/calendar", Size: 14}}},
		"a file alone": {"Content-Type: image/png; name=dot.png\n", "x", "",
			[]channels.File{{Name: "dot.png", ContentType: "image/png", Size: 3}}},
	} {
		id := "Message-ID: <" + strings.ReplaceAll(name, " ", "-") + "@x>\n"
		require.Zero(t, p.brings(ann, "shop@acme.example", mail(id+c.headers, c.body)), name)
		require.Equal(t, c.want, p.last().Text, name)
		require.Equal(t, c.files, p.last().Files, name)
	}
	before := len(p.all)
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Subject: \n", " \n")))
	require.Zero(t, p.brings(ann, "shop@acme.example", mail("Content-Type: text/html\n", "<p>&nbsp;</p>\n")))
	require.Len(t, p.all, before, "there is nothing to begin with")
}
