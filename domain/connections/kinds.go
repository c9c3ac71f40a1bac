package connections

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/privacy"
)

// Kind is a kind of channel that connections can be of.
type Kind struct {
	Slug    string
	Aliases []string // other words that callers have for it
	// Own is a kind whose connections the account itself names: they share no names with those of
	// other tenants.
	Own bool
	// polls is a kind whose callers look for what is said to them: nobody carries it.
	polls bool
	// chats is a kind whose callers begin sessions themselves, and are told where there may be no more.
	chats bool
	// Registered is a kind whose providers are told by us where to send what people say.
	Registered  bool
	external    external
	credentials []credential
	oneOf       []string // at least one of these credentials is needed
}

// external is the rule of an external identifier: the form in which it is stored, or what is
// wrong with it.
type external func(given string) (form, problem string)

// credential is one that connections of a kind have.
type credential struct {
	name     string
	optional bool
	ours     bool                                          // where it is not given, it is one that we make
	check    func(value, external string) (problem string) // nil: any line of text
}

func needed(names ...string) (out []credential) {
	for _, name := range names {
		out = append(out, credential{name: name})
	}
	return out
}

func also(names ...string) (out []credential) {
	for _, name := range names {
		out = append(out, credential{name: name, optional: true})
	}
	return out
}

func checked(c []credential, check func(value, external string) string) []credential {
	for i := range c {
		c[i].check = check
	}
	return c
}

func made(c []credential) []credential {
	for i := range c {
		c[i].ours = true
	}
	return c
}

// kinds is the one table of what connections of a kind are called by and let in with.
var kinds = []Kind{
	{Slug: "slack", external: matching(`^[A-Za-z0-9]{1,64}:[A-Za-z0-9]{1,64}$`, "must be the app's id and the workspace's, as A0123:T0456"),
		credentials: slices.Concat(needed("signingSecret", "botToken"), also("botUserId"))},
	{Slug: "msteams", external: name,
		credentials: slices.Concat(needed("appPassword"), also("tenantId", "botName"), checked(also("appId"), same))},
	{Slug: "whatsapp", external: numbered, credentials: slices.Concat(needed("appSecret", "verifyToken", "accessToken"), also("wabaId"))},
	{Slug: "messenger", external: numbered, credentials: needed("appSecret", "verifyToken", "pageAccessToken")},
	{Slug: "instagram", external: numbered,
		credentials: slices.Concat(needed("appSecret", "verifyToken", "accessToken"), checked(also("apiHost"), instagramHost))},
	{Slug: "telegram", Registered: true, external: matching(`^[0-9]{1,20}$`, "must be the bot's id: the digits before the : of its token"),
		credentials: slices.Concat(checked(needed("botToken"), telegramToken), made(checked(also("secretToken"), telegramSecret)),
			also("botUsername"))},
	{Slug: "line", external: name, credentials: needed("channelSecret", "channelAccessToken")},
	{Slug: "twilio_sms", Aliases: []string{"sms"}, external: numberOrService,
		credentials: slices.Concat(needed("accountSid", "authToken"), also("apiKeySid", "apiKeySecret", "from"))},
	{Slug: "email", external: address, credentials: slices.Concat(also("smtpHost", "smtpUser", "smtpPass"), checked(also("smtpPort"), port),
		checked(also("fromAddress"), mailAddress), checked(also("dkimKey"), lines), also("dkimSelector"))},
	{Slug: "zendesk", external: name, credentials: also("signingSecret", "webhookSecret", "keyId", "keySecret", "subdomain"),
		oneOf: []string{"signingSecret", "webhookSecret"}},
	{Slug: "genesys", external: name, credentials: slices.Concat(needed("token"), checked(also("header"), header))},
	{Slug: "audiocodes", Aliases: []string{"sip"}, external: name, credentials: needed("token")},
	{Slug: "jambonz", Aliases: []string{"voice_gateway"}, external: name,
		credentials: slices.Concat(needed("token"), also("webhookSecret"))},
	{Slug: "vxml", external: name, credentials: slices.Concat(needed("token"), also("grammar"))},
	{Slug: "twilio_voice", Aliases: []string{"voice"}, external: number,
		credentials: slices.Concat(needed("accountSid", "authToken"), also("apiKeySid", "apiKeySecret", "twimlAppSid"))},
	{Slug: "livekit", Aliases: []string{"rtc"}, Own: true, external: within, credentials: needed("url", "apiKey", "apiSecret")},
	{Slug: "voice_pipeline", Own: true, external: within, credentials: needed("token")},
	{Slug: "web_chat", Aliases: []string{"web"}, Own: true, chats: true, external: within},
	{Slug: "ag_ui", Own: true, chats: true, external: within},
	{Slug: "a2a", Own: true, polls: true, external: within},
	{Slug: "http_async", Own: true, external: within, credentials: also("callbackSecret")},
	{Slug: "http", Own: true, chats: true, external: within},
	{Slug: "api", Own: true, chats: true, external: within},
}

// AgentPath is where connections of the kind a2a are reached, each by its id.
const AgentPath = "/api/v1/a2a/"

// Slugs lists the kinds.
func Slugs() (out []string) {
	for _, k := range kinds {
		out = append(out, k.Slug)
	}
	return out
}

// Words lists what callers may call kinds: their slugs, and the other words for them.
func Words() []string {
	out := Slugs()
	for _, k := range kinds {
		out = append(out, k.Aliases...)
	}
	return out
}

// KindOf finds the kind that a caller names.
func KindOf(word string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Slug == word || slices.Contains(k.Aliases, word) })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// Polls is whether those who talk by a kind look for what is said to them.
func Polls(slug string) bool {
	kind, _ := KindOf(slug)
	return kind.polls
}

// Carried lists the kinds whose sessions begin by what a provider brings: platforms have bounds of their
// own, and nobody who writes there could be told of ours.
func Carried() (out []string) {
	for _, k := range kinds {
		if !k.chats {
			out = append(out, k.Slug)
		}
	}
	return out
}

// CheckExternal is an external identifier as it is stored; what is wrong with it is noted.
func (k Kind) CheckExternal(f *fault.Fields, given string) string {
	form, problem := k.external(strings.TrimSpace(given))
	if problem != "" {
		f.Add("externalIdentifier", "%s", problem)
	}
	return form
}

func matching(pattern, problem string) external {
	form := regexp.MustCompile(pattern)
	return func(given string) (string, string) {
		if !form.MatchString(given) {
			return "", problem
		}
		return given, ""
	}
}

var (
	name = matching(`^[A-Za-z0-9_.-]{1,128}$`, "must be 1 to 128 letters, digits, _, . or -")
	// numbered is what Meta calls numbers, pages and accounts; it stands in paths.
	numbered = matching(`^[0-9]{1,32}$`, "must be the id that Meta has for it: 1 to 32 digits")
	within   = matching(`^[A-Za-z0-9_.:/-]{1,257}$`, "must be 1 to 257 letters, digits, _, ., :, / or -")
)

var service = regexp.MustCompile(`^MG[0-9a-fA-F]{32}$`)

// numberOrService is a telephone number, or what groups several at the provider.
func numberOrService(given string) (string, string) {
	if service.MatchString(given) {
		return given, ""
	}
	form, problem := number(given)
	if problem != "" {
		problem = "must be a telephone number, or the SID of a messaging service"
	}
	return form, problem
}

func number(given string) (string, string) { return normal(privacy.Telephone, given) }

// address is one of mail: its domain has two spellings, and is of one mailbox.
func address(given string) (string, string) {
	form, problem := normal(privacy.Email, given)
	return Mailbox(form), problem
}

// Mailbox is an address of mail with its domain as names are asked for: bücher.example is xn--bcher-kva.example.
func Mailbox(address string) string {
	at := strings.LastIndexByte(address, '@') + 1
	if domain, err := idna.Lookup.ToASCII(address[at:]); err == nil {
		return address[:at] + domain
	}
	return address
}

func normal(kind privacy.Kind, given string) (string, string) {
	i, problem := privacy.Normal(kind, given)
	return i.Value, problem
}
