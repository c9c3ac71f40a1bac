package sdkchannels

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
)

// Config is how a widget looks, and what it offers. Members that are absent have the value of
// the defaults; those of a theme that are not known here are kept.
type Config struct {
	Mode            string
	Position        string
	Theme           map[string]any
	WelcomeMessage  string
	PlaceholderText string
	VoiceEnabled    bool
	ChatEnabled     bool

	wrong []string // members of another type than they may have
}

// The words of modes and positions.
var (
	Modes     = []string{"chat", "voice", "unified"}
	Positions = []string{"bottom-right", "bottom-left", "top-right", "top-left"}
)

// theme is that of who says nothing of it.
var theme = map[string]any{"primaryColor": "#2563eb", "darkMode": false, "fontFamily": "system-ui, sans-serif", "borderRadius": "8px",
	"logoUrl": nil}

// ConfigOf reads what is stored of a channel, with the defaults of what it leaves out.
func ConfigOf(stored json.RawMessage) Config {
	c := Config{Mode: "chat", Position: "bottom-right", Theme: maps.Clone(theme), WelcomeMessage: "Hello! How can I help you?",
		PlaceholderText: "Type a message"}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(stored, &members) // what was stored is an object
	read := func(name string, into any) bool {
		raw, there := members[name]
		if !there || string(raw) == "null" {
			return false
		}
		if json.Unmarshal(raw, into) != nil {
			c.wrong = append(c.wrong, name)
			return false
		}
		return true
	}
	read("mode", &c.Mode)
	read("position", &c.Position)
	read("welcomeMessage", &c.WelcomeMessage)
	read("placeholderText", &c.PlaceholderText)
	own := map[string]any{}
	if read("theme", &own) {
		for name, value := range own {
			if _, known := theme[name]; !known || value != nil { // null leaves it out, as of other members
				c.Theme[name] = value
			}
		}
	}
	if !read("chatEnabled", &c.ChatEnabled) {
		c.ChatEnabled = c.Mode != "voice"
	}
	if !read("voiceEnabled", &c.VoiceEnabled) {
		c.VoiceEnabled = c.Mode != "chat"
	}
	return c
}

// maxWords is the longest text that a widget shows, in bytes.
const maxWords = 2000

func (c Config) check(f *fault.Fields) {
	for _, name := range c.wrong {
		f.Add("config."+name, "has the wrong type")
	}
	oneOf := func(name, value string, words []string) {
		if !slices.Contains(words, value) {
			f.Add("config."+name, "must be one of %s", strings.Join(words, ", "))
		}
	}
	oneOf("mode", c.Mode, Modes)
	oneOf("position", c.Position, Positions)
	atMost := func(name, text string) {
		if len(text) > maxWords {
			f.Add("config."+name, "must be at most %d bytes", maxWords)
		}
	}
	atMost("welcomeMessage", c.WelcomeMessage)
	atMost("placeholderText", c.PlaceholderText)
	if _, is := c.Theme["darkMode"].(bool); !is {
		f.Add("config.theme.darkMode", "must be true or false")
	}
	for _, name := range []string{"primaryColor", "fontFamily", "borderRadius", "logoUrl"} {
		if _, is := c.Theme[name].(string); !is && c.Theme[name] != nil {
			f.Add("config.theme."+name, "must be a string")
		}
	}
}
