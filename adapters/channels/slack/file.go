package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// file is one that somebody uploaded. In channels that are shared with others Slack shows its id
// only (file_access check_file_info).
type file struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	MIMEType string `json:"mimetype"`
	Size     int64  `json:"size"`
	URL      string `json:"url_private_download"`
}

func (f file) here() channels.File {
	return channels.File{URL: f.URL, ID: f.ID, Name: f.Name, ContentType: f.MIMEType, Size: max(f.Size, 0)}
}

// keeps are the hosts of Slack that keep files; who may not see one is led to sign in.
var keeps, leads = []string{"files.slack.com", "slack-files.com"}, []string{".slack.com"}

// Fetch gets a file with the bot's token, and asks for its address first where Slack did not show it.
func (s *Slack) Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error) {
	if err := s.Check(c); err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	login := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+c.Credentials.Reveal(BotToken)) }
	if f.URL == "" {
		known, err := s.known(ctx, f.ID, login)
		if err != nil {
			return channels.Fetched{}, err
		}
		f = known
	}
	out, err := s.provider.File(ctx, f, wire.Place{Hosts: keeps, Beyond: leads, Login: login})
	if why := (*channels.Unfetched)(nil); errors.As(err, &why) && why.Code == channels.FilePage {
		why.Reason = "Slack gave a page instead of the file: the bot may lack the scope files:read"
	}
	return out, err
}

// known is a file as Slack tells of it by its id.
func (s *Slack) known(ctx context.Context, id string, login func(*http.Request)) (channels.File, error) {
	req, err := s.provider.Request(http.MethodGet, "/api/files.info?file="+url.QueryEscape(id), "application/json", "")
	if err != nil {
		return channels.File{}, &channels.Unfetched{Code: channels.FileRefused, Reason: err.Error()}
	}
	login(req)
	answer, none, ok := s.provider.Ask(ctx, req)
	if !ok {
		return channels.File{}, &channels.Unfetched{Code: channels.FileAway, Reason: none.Reason, Again: true}
	}
	var a struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
		File  file   `json:"file"`
	}
	readable := json.Unmarshal(answer.Body, &a) == nil && (a.OK || a.Error != "")
	switch {
	case readable && a.OK && a.File.URL != "":
		return a.File.here(), nil
	case ofAccount[a.Error], answer.Status == http.StatusUnauthorized, answer.Status == http.StatusForbidden:
		return channels.File{}, &channels.Unfetched{Code: channels.FileDenied, Reason: "Slack does not accept the credentials for the file"}
	case !readable, doubtful[a.Error], a.Error == "ratelimited", a.Error == "rate_limited":
		return channels.File{}, &channels.Unfetched{Code: channels.FileAway, Reason: "Slack does not tell of the file at the moment", Again: true,
			RetryAfter: answer.RetryAfter}
	}
	return channels.File{}, &channels.Unfetched{Code: channels.FileGone, Reason: "Slack has no such file, or does not show it"}
}
