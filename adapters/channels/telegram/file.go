package telegram

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// media is what a message may bring: a picture in several sizes, or one file.
type media struct {
	Photo     []document `json:"photo"`
	Document  *document  `json:"document"`
	Audio     *document  `json:"audio"`
	Voice     *document  `json:"voice"`
	Video     *document  `json:"video"`
	Note      *document  `json:"video_note"`
	Animation *document  `json:"animation"` // its document is the same file
}

type document struct {
	ID       string `json:"file_id"`
	Name     string `json:"file_name"`
	MIMEType string `json:"mime_type"`
	Size     int64  `json:"file_size"`
	Width    int    `json:"width"`
}

func (m media) files() []channels.File {
	one := m.Document
	for _, d := range []*document{m.Animation, m.Audio, m.Voice, m.Video, m.Note} {
		if d != nil {
			one = d
		}
	}
	for i := range m.Photo {
		if largest := &m.Photo[i]; one == nil || largest.Width >= one.Width {
			largest.MIMEType, largest.Name = "image/jpeg", "photo.jpg" // Telegram makes it one
			one = largest
		}
	}
	if one == nil || one.ID == "" {
		return nil
	}
	return []channels.File{{ID: one.ID, Name: one.Name, ContentType: one.MIMEType, Size: max(one.Size, 0)}}
}

var filePath = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$`)

// Fetch asks where a file is, and gets it there: the address has the token of the bot.
func (t *Telegram) Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error) {
	if err := t.Check(c); err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	answer, none, ok := t.ask(ctx, c, "getFile", object{"file_id": f.ID})
	if !ok {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileAway, Reason: none.Reason, Again: true}
	}
	path, err := pathOf(answer)
	if err != nil {
		return channels.Fetched{}, err
	}
	f.URL = t.provider.URL("/file/bot" + c.Credentials.Reveal(BotToken) + "/" + path)
	return t.provider.File(ctx, f, wire.Place{})
}

// pathOf is where Telegram says that the file is.
func pathOf(answer wire.Answer) (string, error) {
	var a struct {
		OK     *bool `json:"ok"`
		Result struct {
			Path string `json:"file_path"`
		} `json:"result"`
		Description string `json:"description"`
	}
	readable := json.Unmarshal(answer.Body, &a) == nil && a.OK != nil
	switch status := answer.Status; {
	case readable && *a.OK && filePath.MatchString(a.Result.Path):
		return a.Result.Path, nil
	case readable && status == http.StatusBadRequest && strings.Contains(a.Description, "too big"):
		return "", &channels.Unfetched{Code: channels.FileTooLarge, Reason: "the file is too large for Telegram's bots"}
	case status == http.StatusUnauthorized, status == http.StatusNotFound, status == http.StatusForbidden:
		return "", &channels.Unfetched{Code: channels.FileDenied, Reason: "Telegram does not accept the credentials for the file"}
	case !readable, status == http.StatusTooManyRequests, status/100 == 5:
		return "", &channels.Unfetched{Code: channels.FileAway, Reason: "Telegram does not tell of the file at the moment", Again: true,
			RetryAfter: answer.RetryAfter}
	}
	return "", &channels.Unfetched{Code: channels.FileGone, Reason: "Telegram has no such file, or does not give it"}
}
