package speech

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/domain/fault"
)

// DefaultModel is asked when nobody names one.
const DefaultModel = "whisper-1"

const transcriptionTimeout = time.Minute

// OpenAI asks a model through audio transcriptions.
type OpenAI struct {
	client sdk.Client
	model  string
}

// NewOpenAI checks the settings; it asks nobody. An empty model is DefaultModel.
func NewOpenAI(c openai.Config, model string) (*OpenAI, error) {
	client, err := c.Client()
	if err != nil {
		return nil, err
	}
	return &OpenAI{client, cmp.Or(model, DefaultModel)}, nil
}

// Transcribe implements the port: one request of at most a minute.
func (o *OpenAI) Transcribe(ctx context.Context, a Audio) (Transcript, error) {
	data, err := io.ReadAll(limited(a.Data))
	if err != nil {
		return Transcript{}, readFault(err)
	}
	if len(data) == 0 {
		return Transcript{}, fault.Field("audio", "is empty")
	}
	ctx, cancel := context.WithTimeout(ctx, transcriptionTimeout)
	defer cancel()
	params := sdk.AudioTranscriptionNewParams{Model: o.model, ResponseFormat: sdk.AudioResponseFormatJSON,
		File: sdk.File(bytes.NewReader(data), fileName(a), contentType(a))}
	if code := languageCode(a.Language); code != "" {
		params.Language = sdk.String(code)
	}
	res, err := o.client.Audio.Transcriptions.New(ctx, params)
	if err != nil {
		return Transcript{}, openai.Fault(err)
	}
	if !res.JSON.Text.Valid() {
		return Transcript{}, fault.New(fault.Unavailable, "OpenAI's answer holds no transcript")
	}
	t := Transcript{Text: strings.TrimSpace(res.Text), Language: a.Language, Provider: openai.Provider, Model: o.model}
	t.TokensIn, t.TokensOut, t.Charged = usage(res.Usage)
	if t.Language == "" {
		t.Language = res.Language
	}
	return t, nil
}

// longest bounds what is believed of an answer: recordings are minutes long.
const longest = 24 * time.Hour

// usage is what the model says that it used: tokens, or time of audio.
func usage(u sdk.AudioTranscriptionNewResponseUnionUsage) (in, out int64, charged time.Duration) {
	if seconds := u.Seconds; seconds > 0 {
		charged = time.Duration(min(seconds, longest.Seconds()) * float64(time.Second))
	}
	return max(u.InputTokens, 0), max(u.OutputTokens, 0), charged
}

// extensions are those by which OpenAI knows a format.
var extensions = map[string]string{
	"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/wave": ".wav", "audio/vnd.wave": ".wav", "audio/mpeg": ".mp3", "audio/mp3": ".mp3", "audio/mp4": ".m4a",
	"audio/x-m4a": ".m4a", "audio/ogg": ".ogg", "audio/webm": ".webm", "audio/flac": ".flac",
}

// fileName is a name that says the format and nothing else: names are callers' own.
func fileName(a Audio) string {
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
func contentType(a Audio) string {
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
