package calls

import "strings"

// mailboxHints are phrases, in lower case, that only a mailbox says, by language.
var mailboxHints = map[string][]string{
	"en": {"leave a message", "leave your message", "leave me a message", "after the beep", "after the tone", "at the tone",
		"record your message", "voicemail", "voice mail", "answering machine", "mailbox is full"},
	"de": {"nach dem signalton", "nach dem piepton", "nachricht hinterlassen", "hinterlassen sie eine nachricht", "mailbox",
		"anrufbeantworter"},
	"es": {"deje su mensaje", "deje un mensaje", "después de la señal", "después del tono", "buzón de voz", "contestador"},
	"fr": {"laissez un message", "laisser un message", "après le bip", "après le signal", "messagerie vocale", "répondeur"},
	"it": {"lasciate un messaggio", "lascia un messaggio", "dopo il segnale", "dopo il bip", "segreteria telefonica"},
	"nl": {"na de piep", "na de toon", "spreek een bericht in", "laat een bericht achter", "voicemail"},
	"pt": {"deixe a sua mensagem", "deixe sua mensagem", "após o sinal", "depois do sinal", "caixa postal", "correio de voz"},
}

// MailboxHints are the phrases that give a mailbox away in a language, by the first
// subtag of its tag; those of English when the tag says nothing that is known.
func MailboxHints(language string) []string {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(language), "_", "-"), "-")
	if hints, ok := mailboxHints[primary]; ok {
		return hints
	}
	return mailboxHints["en"]
}
