package channels

import "strings"

// What is said in the agent's place where there is nothing else to say, by language.
var (
	oneMoment = map[string]string{
		"en": "One moment, please.",
		"de": "Einen Moment, bitte.",
		"es": "Un momento, por favor.",
		"fr": "Un instant, s'il vous plaît.",
		"it": "Un momento, per favore.",
		"nl": "Een ogenblik, alstublieft.",
		"pt": "Um momento, por favor.",
	}
	nobody = map[string]string{
		"en": "Sorry, nobody can answer at the moment. Goodbye.",
		"de": "Leider kann gerade niemand antworten. Auf Wiederhören.",
		"es": "Lo sentimos, nadie puede responder en este momento. Adiós.",
		"fr": "Désolé, personne ne peut répondre pour le moment. Au revoir.",
		"it": "Spiacenti, al momento nessuno può rispondere. Arrivederci.",
		"nl": "Sorry, niemand kan op dit moment antwoorden. Tot ziens.",
		"pt": "Lamentamos, ninguém pode responder neste momento. Adeus.",
	}
)

// OneMoment is said while the agent needs longer than its other side waits.
func OneMoment(language string) string { return in(oneMoment, language) }

// NobodyAnswers is said before a conversation ends in which nobody does.
func NobodyAnswers(language string) string { return in(nobody, language) }

// in is what is said in a language, as en-US; English where there is nothing in it.
func in(words map[string]string, language string) string {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	if said, ok := words[language]; ok {
		return said
	}
	return words["en"]
}
