package speech

import (
	"cmp"
	"context"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
)

// DefaultModel is asked when nobody names one.
const DefaultModel = "whisper-1"

const transcriptionTimeout = time.Minute

// OpenAI asks a model through audio transcriptions.
type OpenAI struct {
	client *openai.Client
	model  string
}

// NewOpenAI checks the settings; it asks nobody. An empty model is DefaultModel.
func NewOpenAI(c openai.Config, model string) (*OpenAI, error) {
	client, err := openai.NewClient(c)
	if err != nil {
		return nil, err
	}
	return &OpenAI{client, cmp.Or(model, DefaultModel)}, nil
}

// Transcribe implements the port: one request of at most a minute.
func (o *OpenAI) Transcribe(ctx context.Context, a voicemails.Audio) (voicemails.Transcript, error) {
	data, err := io.ReadAll(limited(a.Data))
	if err != nil {
		return voicemails.Transcript{}, readFault(err)
	}
	if len(data) == 0 {
		return voicemails.Transcript{}, fault.Field("audio", "is empty")
	}
	ctx, cancel := context.WithTimeout(ctx, transcriptionTimeout)
	defer cancel()
	res, err := o.client.Transcribe(ctx, openai.TranscriptionRequest{Model: o.model, Language: languageCode(a.Language),
		FileName: fileName(a), ContentType: contentType(a), Audio: data})
	if err != nil {
		return voicemails.Transcript{}, openai.Fault(err)
	}
	if res.Text == nil {
		return voicemails.Transcript{}, fault.New(fault.Unavailable, "OpenAI's answer holds no transcript")
	}
	t := voicemails.Transcript{Text: strings.TrimSpace(*res.Text), Language: a.Language, Provider: openai.Provider, Model: o.model}
	t.TokensIn, t.TokensOut = max(res.Usage.InputTokens, 0), max(res.Usage.OutputTokens, 0)
	t.Charged = time.Duration(min(max(res.Usage.Seconds, 0), longest.Seconds()) * float64(time.Second))
	if t.Language == "" {
		t.Language = res.Language
	}
	return t, nil
}

// longest bounds what is believed of an answer: recordings are minutes long.
const longest = 24 * time.Hour

// extensions are those by which OpenAI knows a format.
var extensions = map[string]string{
	"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/wave": ".wav", "audio/vnd.wave": ".wav", "audio/mpeg": ".mp3", "audio/mp3": ".mp3",
	"audio/mp4":   ".m4a",
	"audio/x-m4a": ".m4a", "audio/ogg": ".ogg", "audio/webm": ".webm", "audio/flac": ".flac",
}

// fileName is a name that says the format and nothing else: names are callers' own.
func fileName(a voicemails.Audio) string {
	kind, _, _ := strings.Cut(strings.ToLower(a.ContentType), ";")
	if ext, ok := extensions[strings.TrimSpace(kind)]; ok {
		return "audio" + ext
	}
	if ext := strings.ToLower(path.Ext(a.Name)); fileExtension.MatchString(ext) {
		return "audio" + ext
	}
	return "audio.wav"
}

// contentType must not break the header that it is put in.
func contentType(a voicemails.Audio) string {
	if mediaType.MatchString(a.ContentType) {
		return a.ContentType
	}
	return "application/octet-stream"
}

// languageCode is the ISO 639-1 code of a tag; empty when it has none.
func languageCode(tag string) string {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	if len(primary) != 2 {
		return ""
	}
	return primary
}

var (
	fileExtension = regexp.MustCompile(`^\.[a-z0-9]{2,5}$`)
	mediaType     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*/[A-Za-z0-9][A-Za-z0-9.+-]*$`)
)
