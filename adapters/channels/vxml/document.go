package vxml

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/channels"
)

const (
	speech = "builtin:grammar/text" // where the connection names no grammar
)

// text is one in a document.
func text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // into memory, which never fails
	return b.String()
}

func begins(language string) string {
	return xml.Header + `<vxml version="2.1" xmlns="http://www.w3.org/2001/vxml" xml:lang="` + text(cmp.Or(language, "en-US")) + `">` + "\n"
}

// entry asks the interpreter which call it is, and brings that to us.
func entry(s said, next string) string {
	return begins(s.language) + `<var name="sessionId" expr="typeof session.connection.callid == 'undefined' ? ` +
		`'c' + new Date().getTime() + '-' + Math.random() : session.connection.callid"/>
<var name="from" expr="typeof session.connection.remote == 'undefined' ? '' : session.connection.remote.uri"/>
<var name="to" expr="typeof session.connection.local == 'undefined' ? '' : session.connection.local.uri"/>
<var name="language" expr="'` + text(s.language) + `'"/>
<var name="turn" expr="'0'"/>
<form><block><submit next="` + text(next) + `" method="post" namelist="sessionId turn from to language"/></block></form>
</vxml>
`
}

// names are what each request brings, beside what was said.
const names = "sessionId turn from language event"

// document is a turn: what is said, and what the caller may say to it.
func document(s said, next, grammar string, reply channels.Reply) string {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) }
	_, _ = b.WriteString(begins(s.language))
	variable := func(name, value string) { say(`<var name="%s" expr="'%s'"/>`, name, text(value)) }
	variable("sessionId", s.call)
	variable("turn", strconv.Itoa(s.turn+1))
	variable("from", quoted(s.values.Get("from")))
	variable("language", s.language)
	variable("event", "")
	variable("confidence", "")
	variable("inputmode", "")
	submit := func(with string) string {
		return fmt.Sprintf(`<submit next="%s" method="post" namelist="%s"/>`, text(next), strings.TrimSpace(names+" "+with))
	}
	event := func(is string) string { return `<assign name="event" expr="'` + is + `'"/>` + submit("") }
	say(`<catch event="connection.disconnect">%s</catch>`, event("hangup"))
	say(`<form id="turn">`)
	spoken := cmp.Or(reply.Language, s.language)
	switch reply.State {
	case channels.Working:
		if len(reply.Said) == 0 {
			reply.Said = []channels.Outbound{{Text: channels.OneMoment(spoken)}}
		}
		say(`<block>%s%s</block>`, prompts(reply.Said), event("wait"))
	case channels.Ended:
		say(`<block>%s<disconnect/></block>`, prompts(reply.Said))
	case channels.Unanswered:
		say(`<block>%s<disconnect/></block>`, prompts(append(reply.Said, channels.Outbound{Text: channels.NobodyAnswers(spoken)})))
	default:
		asks, told := reply.Said, prompts(reply.Said)
		if len(asks) == 0 {
			asks, told = reply.Before, again(s, reply.Before)
		}
		say(`<field name="utterance">`)
		say(`<grammar src="%s"/>`, text(cmp.Or(grammar, speech)))
		say(`%s`, keysOf(asks))
		say(`%s`, told)
		say(`<noinput count="1"><reprompt/></noinput><nomatch count="1"><reprompt/></nomatch>`)
		say(`<noinput count="3">%s</noinput><nomatch count="3">%s</nomatch>`, event("noinput"), event("nomatch"))
		say(`<filled><assign name="confidence" expr="utterance$.confidence"/><assign name="inputmode" expr="utterance$.inputmode"/>%s</filled>`,
			submit("utterance confidence inputmode"))
		say(`</field>`)
	}
	say(`</form>`)
	say(`</vxml>`)
	return b.String()
}

// keysOf is what keys may be pressed: those of the first choices that are given, else any digits.
func keysOf(asks []channels.Outbound) string {
	for _, m := range asks {
		if len(m.Choices) == 0 {
			continue
		}
		var lines []string
		for i, c := range m.Choices[:min(len(m.Choices), choices)] {
			lines = append(lines, fmt.Sprintf(`<option dtmf="%d" value="%s">%s</option>`, i+1, text(c.Token), text(c.Label)))
		}
		return strings.Join(lines, "\n")
	}
	return `<grammar src="builtin:dtmf/digits"/>`
}

// again says what was said last: at once to who was silent or was not understood three times, else only
// when the interpreter asks again, as the person has just heard it.
func again(s said, before []channels.Outbound) string {
	if event := s.values.Get("event"); event == "noinput" || event == "nomatch" {
		return prompts(before)
	}
	return strings.ReplaceAll(prompts(before), `<prompt `, `<prompt count="2" `)
}

// prompts are what is said, and which keys choose.
func prompts(said []channels.Outbound) string {
	var b strings.Builder
	for _, m := range said {
		lines := []string{text(m.Text)}
		for i, c := range m.Choices {
			lines = append(lines, fmt.Sprintf("%d: %s.", i+1, text(c.Label)))
		}
		_, _ = b.WriteString(`<prompt bargein="true">` + strings.Join(lines, "\n") + `</prompt>`)
	}
	return b.String()
}

// quoted is a text between the quotes of an expression; what could end it is not in it.
func quoted(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '\'' || r == '\\' || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, s)
}
