package channels

import (
	"strconv"
	"strings"
)

// CallbackTo is where an answer goes that is posted to an address which a caller gave, or, without
// one, that is only asked for: it names the conversation too.
func CallbackTo(url, conversation string) string { return url + "#" + conversation }

// CallbackOf takes it apart.
func CallbackOf(to string) (url, conversation string) {
	url, conversation, _ = strings.Cut(to, "#")
	return url, conversation
}

// MessageName is what callers call a message of a conversation, by which they ask for its answer.
func MessageName(conversation string, number int) string {
	return conversation + "." + strconv.Itoa(number)
}

// MessageNamed takes it apart; false: it is no such name.
func MessageNamed(name string) (conversation string, number int, ok bool) {
	conversation, n, _ := strings.Cut(name, ".")
	number, err := strconv.Atoi(n)
	return conversation, number, err == nil && number > 0 && number < 1<<31 && MessageName(conversation, number) == name
}
