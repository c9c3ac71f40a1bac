package line

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

var contentID = regexp.MustCompile(`^[0-9]{1,32}$`)

// unready is how long a film or sound is waited for that LINE has not made ready yet.
const unready = 2 * time.Second

// Fetch gets what a person sent, with the token of the channel. What is kept elsewhere is got there,
// without.
func (l *Line) Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error) {
	if err := l.Check(c); err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	if f.URL != "" {
		return l.data.File(ctx, f, wire.Place{Beyond: []string{wire.Anywhere}})
	}
	if !contentID.MatchString(f.ID) {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileGone, Reason: "LINE has no file of such an id"}
	}
	path := "/v2/bot/message/" + f.ID + "/content"
	login := func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+c.Credentials.Reveal(ChannelAccessToken))
	}
	if f.ContentType == types["video"] || f.ContentType == types["audio"] {
		if err := l.ready(ctx, path+"/transcoding", login); err != nil {
			return channels.Fetched{}, err
		}
	}
	f.URL = l.data.URL(path)
	return l.data.File(ctx, f, wire.Place{Login: login})
}

// ready asks whether LINE has made a film or sound ready. What it does not say, the content will.
func (l *Line) ready(ctx context.Context, path string, login func(*http.Request)) error {
	req, err := l.data.Request(http.MethodGet, path, "application/json", "")
	if err != nil {
		return &channels.Unfetched{Code: channels.FileRefused, Reason: err.Error()}
	}
	login(req)
	answer, none, ok := l.data.Ask(ctx, req)
	if !ok {
		return &channels.Unfetched{Code: channels.FileAway, Reason: none.Reason, Again: true}
	}
	var a struct {
		Status string `json:"status"`
	}
	_ = json.Unmarshal(answer.Body, &a)
	switch a.Status {
	case "processing":
		return &channels.Unfetched{Code: channels.FileAway, Reason: "LINE has not made the file ready yet", Again: true, RetryAfter: unready}
	case "failed":
		return &channels.Unfetched{Code: channels.FileRefused, Reason: "LINE cannot make the file ready"}
	}
	return nil
}
