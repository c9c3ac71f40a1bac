package voicemails

import (
	"math"
	"strings"

	"github.com/parley-platform/parley/domain/wav"
)

const (
	beepHz    = 1_000
	beepMs    = 400
	beepLevel = 8_000 // of 32,767
)

// Words are what somebody who may leave a message is told, before it and behind it.
type Words struct{ Before, Behind string }

var words = map[string]Words{
	"en": {"Please leave a message after the tone. Press the hash key when you have finished.", "Thank you. Your message was recorded."},
	"de": {"Bitte hinterlassen Sie nach dem Ton eine Nachricht. Drücken Sie am Ende die Rautetaste.",
		"Vielen Dank. Ihre Nachricht wurde aufgenommen."},
	"es": {"Por favor, deje un mensaje después del tono. Pulse la tecla almohadilla al terminar.", "Gracias. Su mensaje ha sido grabado."},
	"fr": {"Veuillez laisser un message après le bip. Appuyez sur la touche dièse pour terminer.", "Merci. Votre message a été enregistré."},
	"it": {"Lasci un messaggio dopo il segnale acustico. Alla fine prema il tasto cancelletto.",
		"Grazie. Il suo messaggio è stato registrato."},
	"nl": {"Spreek na de toon een bericht in. Druk op hekje als u klaar bent.", "Dank u. Uw bericht is opgenomen."},
	"pt": {"Deixe uma mensagem após o sinal. Prima a tecla cardinal quando terminar.", "Obrigado. A sua mensagem foi gravada."},
}

// WordsIn gives them in a language, in English where there are none.
func WordsIn(language string) Words {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	if said, ok := words[base]; ok {
		return said
	}
	return words["en"]
}

// Beep is the tone behind which a message begins.
func Beep() []int16 {
	out := make([]int16, wav.Rate*beepMs/1_000)
	for i := range out {
		out[i] = int16(beepLevel * math.Sin(2*math.Pi*beepHz*float64(i)/wav.Rate))
	}
	return out
}
