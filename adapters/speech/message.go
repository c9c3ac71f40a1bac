package speech

import "strings"

// LeaveMessage is what a simulated caller says to an answering machine, as a WAV file:
// two words a second, and the words as its comment. The same caller gives the same
// bytes.
func LeaveMessage(caller string) []byte {
	words := "Hello, nobody could take my call. Please call me back."
	if caller != "" {
		words = "Hello, this is " + caller + ". Nobody could take my call. Please call me back."
	}
	return Recording((len(strings.Fields(words))+1)/2, words)
}
