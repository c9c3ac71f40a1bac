package tokens

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/fault"
)

// tokenFault is why a token is not taken. Callers hear the same of all of them: that a
// host in our network answers, or which half of a forged token was right, is nobody's
// business but the operator's.
type tokenFault string

// The reasons, as the metric names them.
const (
	malformedToken  tokenFault = "malformed"
	unknownClient   tokenFault = "unknown_client"
	unusableClient  tokenFault = "unusable_client" // has no usable algorithm or secret
	keysUnreachable tokenFault = "keys_unreachable"
	keysRefused     tokenFault = "keys_address_refused"
	keysNotJSON     tokenFault = "keys_not_json"
	keysTooLarge    tokenFault = "keys_too_large"
	unknownKid      tokenFault = "unknown_kid"
	wrongAlg        tokenFault = "wrong_alg"
	badSignature    tokenFault = "bad_signature"
	expired         tokenFault = "expired"
	notYetValid     tokenFault = "not_yet_valid"
	wrongAudience   tokenFault = "wrong_audience"
	tooLongLived    tokenFault = "exp_too_far"
	badClaims       tokenFault = "bad_claims" // sub, accountId, a missing exp, an extension
)

var tokenFaults = []tokenFault{malformedToken, unknownClient, unusableClient, keysUnreachable, keysRefused, keysNotJSON, keysTooLarge,
	unknownKid, wrongAlg, badSignature, expired, notYetValid, wrongAudience, tooLongLived, badClaims}

// ofKeys are those that the operator can do something about, or the client's owner.
func (f tokenFault) ofKeys() bool {
	return f == keysUnreachable || f == keysRefused || f == keysNotJSON || f == keysTooLarge
}

// refusedToken is a tokenFault with what the log may hold of its cause: nothing that
// stands in the token.
type refusedToken struct {
	fault  tokenFault
	detail error
}

func (r *refusedToken) Error() string {
	if r.detail == nil {
		return string(r.fault)
	}
	return string(r.fault) + ": " + r.detail.Error()
}

// badToken is every refusal of a token.
func badToken(reason tokenFault, detail error) error {
	return fault.New(fault.Unauthorized, "the token is not valid").Because(&refusedToken{reason, detail})
}

// tokenFaultIn tells what jwt found wrong, once the client and its keys had nothing to say.
// A token that names an algorithm which nobody has is refused before its client is looked up.
func tokenFaultIn(err error, client ClientRecord) tokenFault {
	switch {
	case errors.Is(err, jwt.ErrTokenMalformed):
		return malformedToken
	case errors.Is(err, jwt.ErrTokenUnverifiable) && client.ID == "":
		return wrongAlg
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return badSignature
	case errors.Is(err, jwt.ErrTokenExpired):
		return expired
	case errors.Is(err, jwt.ErrTokenNotValidYet), errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return notYetValid
	case errors.Is(err, jwt.ErrTokenUnverifiable):
		return unknownKid // the client has keys, and none for this token
	}
	return badClaims
}

// tokenRefusals counts them, and logs one line a minute of each reason and client.
type tokenRefusals struct {
	count *prometheus.CounterVec
	log   *slog.Logger
	now   func() time.Time

	mu   sync.Mutex
	told map[toldOf]time.Time
}

// toldOf is what a line stands for. Clients in it exist, so callers cannot make it grow.
type toldOf struct {
	fault          tokenFault
	tenant, client string
}

const (
	toldEvery = time.Minute
	maxTold   = 4096
)

func newTokenRefusals(r prometheus.Registerer, log *slog.Logger, now func() time.Time) *tokenRefusals {
	t := &tokenRefusals{log: log, now: now, told: map[toldOf]time.Time{}, count: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "parley_tokens_refused_total", Help: "Tokens (JWT) that were not taken, by reason.",
	}, []string{"reason"})}
	for _, f := range tokenFaults {
		t.count.WithLabelValues(string(f))
	}
	if r != nil {
		r.MustRegister(t.count)
	}
	return t
}

// note counts and logs a refusal; client is the zero value while nobody knows it.
func (t *tokenRefusals) note(err error, client ClientRecord) {
	var r *refusedToken
	if !errors.As(err, &r) {
		return
	}
	t.count.WithLabelValues(string(r.fault)).Inc()
	if !t.due(toldOf{r.fault, client.TenantID, client.ID}) {
		return
	}
	note := []any{"reason", string(r.fault), "tenant", client.TenantID, "client", client.ID}
	if !r.fault.ofKeys() {
		t.log.Info("a token was refused", note...)
		return
	}
	t.log.Warn("tokens are refused for lack of their client's keys: see to the jwksUrl of its manifest, and what it answers",
		append(note, "detail", r.detail)...)
}

func (t *tokenRefusals) due(of toldOf) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if last, ok := t.told[of]; ok && now.Sub(last) < toldEvery {
		return false
	}
	if len(t.told) >= maxTold {
		clear(t.told)
	}
	t.told[of] = now
	return true
}
