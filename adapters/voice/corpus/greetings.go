package corpus

// greeting is what answers, in a language of espeak-ng.
type greeting struct{ language, text string }

// people are greetings of one to seven words.
var people = []greeting{
	{"en-us", "Hello?"}, {"en-gb", "Yes?"}, {"en-us", "Hello, this is Mary."}, {"en-gb", "Martin speaking."},
	{"en-us", "Good morning, how can I help you?"}, {"en-us", "Hi."}, {"en-gb", "Smith residence, good evening."},
	{"en-us", "Hello? Who is this?"}, {"de", "Ja, hallo?"}, {"de", "Müller, guten Tag."}, {"es", "¿Diga?"}, {"es", "Sí, buenos días."},
	{"fr", "Allô, oui bonjour?"}, {"it", "Pronto?"}, {"it", "Pronto, chi parla?"}, {"nl", "Met Jansen, goedemiddag."},
	{"pt", "Alô?"}, {"pl", "Słucham?"},
}

// machines are greetings of mailboxes and offices. One of them is shorter than the threshold.
var machines = []greeting{
	{"en-us", "Hi, you have reached the office of Martin and Sons. We cannot take your call right now. " +
		"Please leave a message after the beep."},
	{"en-gb", "This is the voicemail of Anna Baker. I am away until Monday. " +
		"Leave your name and your number and I will call you back."},
	{"en-us", "The person you are calling is not available. At the tone, please record your message. " +
		"When you have finished, hang up."},
	{"en-us", "You have reached four one five, five five five, zero one zero zero. Nobody is home. Leave a message."},
	{"en-gb", "Thank you for calling Acme. Our offices are closed. Our hours are nine to five, Monday to Friday."},
	{"en-us", "Hello, this is the Millers. We are not at home just now, so please tell us who you are."},
	{"en-us", "Hey, it's Tom. Leave a message."},
	{"de", "Guten Tag, dies ist der Anrufbeantworter von Familie Weber. Bitte hinterlassen Sie eine Nachricht nach dem Signalton."},
	{"de", "Der gewünschte Gesprächspartner ist zur Zeit nicht erreichbar. Bitte sprechen Sie nach dem Ton."},
	{"de", "Hallo, hier ist die Mailbox von Anna. Ich bin gerade nicht da und rufe gerne zurück."},
	{"es", "Hola, en este momento no puedo atender su llamada. Por favor deje un mensaje después de la señal."},
	{"es", "Ha llamado a la consulta del doctor García. Nuestro horario es de nueve a dos."},
	{"fr", "Bonjour, vous êtes bien chez la famille Martin. Nous sommes absents, laissez un message après le bip."},
	{"fr", "Vous êtes sur la messagerie vocale de Paul. Merci de laisser votre nom et votre numéro."},
	{"it", "Risponde la segreteria telefonica di casa Rossi. Lasciate un messaggio dopo il segnale acustico."},
	{"nl", "U spreekt met de voicemail van Jan de Vries. Spreek een bericht in na de piep."},
	{"pt", "Você ligou para a família Silva. No momento não podemos atender, deixe a sua mensagem após o sinal."},
	{"pl", "Dzień dobry, tu automatyczna sekretarka. Proszę zostawić wiadomość po usłyszeniu sygnału, oddzwonimy jutro rano."},
}

// voices are variants of espeak-ng's voices.
var voices = []string{"", "+f1", "+f2", "+f3", "+f4", "+f5", "+m1", "+m2", "+m3", "+m4", "+m5", "+m6", "+m7"}
