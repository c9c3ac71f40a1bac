package tracing

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// place is where traces go, and who said so.
type place struct {
	url  string // empty: nowhere
	from string // the flag or the variable
}

// endpoint is where traces go: the flag says it, else OpenTelemetry's variables. The
// kill switch OTEL_SDK_DISABLED stands above both.
func endpoint(flag string) (place, error) {
	general, own := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	switch {
	case strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"):
		return place{}, nil
	case flag != "":
		return under(place{flag, "--trace-endpoint"})
	}
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "none":
		return place{}, nil
	case "", "otlp":
	default:
		return place{}, fmt.Errorf("OTEL_TRACES_EXPORTER: %s is not spoken here; otlp and none are", exporter)
	}
	switch {
	case own != "":
		return checked(place{own, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"})
	case general != "":
		return under(place{general, "OTEL_EXPORTER_OTLP_ENDPOINT"})
	}
	return place{}, nil
}

// under is the path of traces under a base address.
func under(base place) (place, error) {
	at, err := checked(base)
	if err != nil {
		return place{}, err
	}
	if at.url, err = url.JoinPath(base.url, "v1", "traces"); err != nil {
		return place{}, fmt.Errorf("%s %s: %w", base.from, base.url, err)
	}
	return at, nil
}

func checked(at place) (place, error) {
	u, err := url.Parse(at.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return place{}, fmt.Errorf("%s %s: an address such as http://127.0.0.1:4318 is wanted", at.from, at.url)
	}
	return at, nil
}

// otlp is the variable of that name for traces, else the general one, and which it was.
func otlp(name string) (value, variable string) {
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_TRACES_" + name, "OTEL_EXPORTER_OTLP_" + name} {
		if value := os.Getenv(variable); value != "" {
			return value, variable
		}
	}
	return "", ""
}

// spoken refuses forms of OTLP that are not sent.
func spoken() error {
	if protocol, variable := otlp("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return fmt.Errorf("%s: %s is not spoken here; http/protobuf is, which collectors take on port 4318", variable, protocol)
	}
	return nil
}

// timeout is that of one request to the collector.
func timeout() (time.Duration, error) {
	text, variable := otlp("TIMEOUT")
	if text == "" {
		return sendTimeout, nil
	}
	ms, err := strconv.Atoi(text)
	if err != nil || ms <= 0 {
		return 0, fmt.Errorf("%s: %s is no number of milliseconds", variable, text)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// compressed says whether batches are packed.
func compressed() (bool, error) {
	switch how, variable := otlp("COMPRESSION"); how {
	case "", "none":
		return false, nil
	case "gzip":
		return true, nil
	default:
		return false, fmt.Errorf("%s: %s is not spoken here; gzip and none are", variable, how)
	}
}

// sampler keeps a share of what begins here: the flag's, else what OTEL_TRACES_SAMPLER
// says. As OpenTelemetry wants it, a value that is not known is warned of and left out.
func sampler(share *float64, log *slog.Logger) sdk.Sampler {
	if share != nil {
		return sdk.ParentBased(beginnings{sdk.TraceIDRatioBased(*share)})
	}
	name := strings.ToLower(strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER")))
	base, followsCaller := strings.CutPrefix(cmp.Or(name, "parentbased_always_on"), "parentbased_")
	var of sdk.Sampler
	switch base {
	case "always_on":
		of = sdk.AlwaysSample()
	case "always_off":
		of = sdk.NeverSample()
	case "traceidratio":
		of = sdk.TraceIDRatioBased(ratio(log))
	default:
		log.Warn("OTEL_TRACES_SAMPLER is left out: it is not known here", "sampler", name)
		of, followsCaller = sdk.AlwaysSample(), true
	}
	kept := beginnings{of}
	if followsCaller {
		return sdk.ParentBased(kept)
	}
	return sdk.ParentBased(kept, sdk.WithRemoteParentSampled(kept), sdk.WithRemoteParentNotSampled(kept))
}

func ratio(log *slog.Logger) float64 {
	text := strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER_ARG"))
	if text == "" {
		return 1
	}
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !(share >= 0 && share <= 1) {
		log.Warn("OTEL_TRACES_SAMPLER_ARG is left out: a number from 0 to 1 is wanted", "argument", text)
		return 1
	}
	return share
}

// propagator is how callers say to which trace a request belongs.
func propagator(log *slog.Logger) propagation.TextMapPropagator {
	names := strings.Split(cmp.Or(os.Getenv("OTEL_PROPAGATORS"), "tracecontext"), ",")
	taken := propagation.NewCompositeTextMapPropagator()
	for _, name := range names {
		switch name = strings.TrimSpace(name); name {
		case "tracecontext":
			taken = propagation.TraceContext{}
		case "none", "baggage", "": // of baggage there is nobody here who would read it
		default:
			log.Warn("a part of OTEL_PROPAGATORS is left out: only tracecontext is spoken here", "propagator", name)
		}
	}
	return taken
}
