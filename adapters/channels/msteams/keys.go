package msteams

import (
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
)

const (
	keysLast = 5 * 24 * time.Hour // then they are asked for again
	keysRest = time.Hour          // before an unknown key leads to another request
	keysWait = 30 * time.Second   // after a request that failed
	askFor   = 5 * time.Second
)

// key is one by which Microsoft signs, for the channels that it endorses.
type key struct {
	public    *rsa.PublicKey
	endorsing []string
}

// keys are those of Bot Framework. Who shows keys that nobody knows has them asked for seldom.
type keys struct {
	from *wire.Provider

	mu    sync.Mutex
	known map[string]key
	got   time.Time // when they were asked for with success
	tried time.Time // when they were asked for
}

var errNoKeys = errors.New("the keys of Microsoft cannot be read")

func newKeys(base string) (*keys, error) {
	from, err := wire.At("Microsoft's keys", base, "")
	return &keys{from: from}, err
}

// named is the key of an id at a time; false: there is none. Who comes while they are asked for
// waits for the answer.
func (k *keys) named(id string, now time.Time) (of key, ok bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	of, ok = k.known[id]
	age, rested := now.Sub(k.got), now.Sub(k.tried)
	if age < 0 { // an older request than that which they were asked for by
		age = 0
	}
	wanted := k.known == nil || age >= keysLast || !ok && age >= keysRest
	if !wanted || !k.tried.IsZero() && rested < keysWait && rested > -keysWait {
		if k.known == nil {
			err = errNoKeys
		}
		return of, ok, err
	}
	k.tried = now
	fresh, err := k.ask()
	if err != nil {
		if k.known != nil { // the old ones do, until they are to be had again
			err = nil
		}
		return of, ok, err
	}
	k.known, k.got = fresh, now
	of, ok = fresh[id]
	return of, ok, nil
}

// ask reads the document that says where the keys are, and the keys.
func (k *keys) ask() (map[string]key, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askFor)
	defer cancel()
	var document struct {
		At string `json:"jwks_uri"`
	}
	if err := read(ctx, k.from, "/v1/.well-known/openidconfiguration", &document); err != nil {
		return nil, err
	}
	at, err := url.Parse(document.At)
	if err != nil || at.Host == "" {
		return nil, errNoKeys
	}
	path := at.RequestURI()
	at.Path, at.RawPath, at.RawQuery, at.Fragment = "", "", "", ""
	from, err := wire.At("Microsoft's keys", at.String(), "")
	if err != nil {
		return nil, errNoKeys
	}
	var set struct {
		Keys []struct {
			Type         string   `json:"kty"`
			ID           string   `json:"kid"`
			Modulus      string   `json:"n"`
			Exponent     string   `json:"e"`
			Endorsements []string `json:"endorsements"`
		} `json:"keys"`
	}
	if err := read(ctx, from, path, &set); err != nil {
		return nil, err
	}
	out := map[string]key{}
	for _, one := range set.Keys {
		if public, ok := rsaKey(one.Modulus, one.Exponent); ok && one.Type == "RSA" && one.ID != "" {
			out[one.ID] = key{public, one.Endorsements}
		}
	}
	if len(out) == 0 {
		return nil, errNoKeys
	}
	return out, nil
}

func read(ctx context.Context, from *wire.Provider, path string, into any) error {
	req, err := from.Request(http.MethodGet, path, "application/json", "")
	if err != nil {
		return errNoKeys
	}
	answer, _, ok := from.Ask(ctx, req)
	if !ok || answer.Status != http.StatusOK || json.Unmarshal(answer.Body, into) != nil {
		return errNoKeys
	}
	return nil
}

const fewestBits = 2048

func rsaKey(modulus, exponent string) (*rsa.PublicKey, bool) {
	n, bad := base64.RawURLEncoding.DecodeString(strings.TrimRight(modulus, "="))
	e, worse := base64.RawURLEncoding.DecodeString(strings.TrimRight(exponent, "="))
	if bad != nil || worse != nil || len(e) > 4 {
		return nil, false
	}
	out := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
	return out, out.N.BitLen() >= fewestBits && out.E > 1 && out.E%2 == 1
}
