package tokens

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/sync/singleflight"
)

const (
	keySetFresh   = 10 * time.Minute // a published key set is used that long without asking again
	keySetStale   = time.Hour        // and that long if it cannot be fetched
	keySetPause   = 30 * time.Second // between two fetches of one URL, whatever tokens come
	keySetTimeout = 5 * time.Second
	maxKeySet     = 1 << 20 // bytes of a published key set
	maxKeySets    = 1024    // parsed key sets that are kept
)

// keySets keeps parsed key sets: of documents by their hash, of URLs for a while.
// What a client is pinned to is still read on every request; only parsing and
// fetching are saved.
type keySets struct {
	client  *http.Client
	refused func(error) bool // see Config.RefusedAddress
	now     func() time.Time
	flight  singleflight.Group
	parsed  bounded[string, keySet]
}

type keySet struct {
	keys    keyfunc.Keyfunc // nil until a fetch succeeded
	fetched time.Time       // last success
	tried   time.Time       // last attempt
	failure error           // of it; nil: it succeeded
}

func newKeySets(client *http.Client, refused func(error) bool, now func() time.Time) *keySets {
	return &keySets{client: client, refused: refused, now: now, parsed: bounded[string, keySet]{most: maxKeySets}}
}

// of is how the keys of a client are found for one of its tokens.
func (k *keySets) of(ctx context.Context, client ClientRecord) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		if client.JWKS != "" {
			set, err := k.document(client.JWKS)
			if err != nil {
				return nil, err
			}
			return set.KeyfuncCtx(ctx)(t)
		}
		return k.published(ctx, client.JWKSURL, t)
	}
}

func (k *keySets) document(jwks string) (keyfunc.Keyfunc, error) {
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(jwks)))
	if have := k.get(name); have.keys != nil {
		return have.keys, nil
	}
	set, err := keyfunc.NewJWKSetJSON(json.RawMessage(jwks))
	if err != nil {
		return nil, err
	}
	k.parsed.put(name, keySet{keys: set})
	return set, nil
}

// published finds the key at the URL. A key that is not in the set we have may be
// new: then it is fetched again, but not more often than keySetPause, so that made-up
// key ids cannot be used to hammer the publisher.
func (k *keySets) published(ctx context.Context, address string, t *jwt.Token) (any, error) {
	have := k.get(address)
	if have.keys != nil && k.now().Sub(have.fetched) < keySetFresh {
		if key, err := have.keys.KeyfuncCtx(ctx)(t); err == nil {
			return key, nil
		}
	}
	if k.now().Sub(have.tried) >= keySetPause {
		_, _, _ = k.flight.Do(address, func() (any, error) { k.fetch(address); return nil, nil })
		have = k.get(address)
	}
	if have.keys == nil || k.now().Sub(have.fetched) >= keySetStale {
		if have.failure == nil {
			return nil, badToken(keysUnreachable, errors.New("the key set is being fetched"))
		}
		return nil, have.failure
	}
	return have.keys.KeyfuncCtx(ctx)(t)
}

// fetch runs once for all who wait for the same URL, and does not end because one
// of them has gone.
func (k *keySets) fetch(address string) {
	have := k.get(address)
	if k.now().Sub(have.tried) < keySetPause {
		return // another has just done it
	}
	have.tried = k.now()
	ctx, cancel := context.WithTimeout(context.Background(), keySetTimeout)
	defer cancel()
	document, err := k.download(ctx, address)
	if err == nil {
		var set keyfunc.Keyfunc
		if set, err = keyfunc.NewJWKSetJSON(document); err == nil {
			k.parsed.put(address, keySet{keys: set, fetched: k.now(), tried: have.tried})
			return
		}
		err = badToken(keysNotJSON, errors.New("the answer is not a JSON Web Key Set"))
	}
	have.failure = err
	k.parsed.put(address, have)
}

func (k *keySets) download(ctx context.Context, address string) (json.RawMessage, error) {
	if k.client == nil || address == "" {
		return nil, badToken(keysUnreachable, errors.New("there is no way to fetch key sets"))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, badToken(keysUnreachable, errors.New("the URL cannot be requested"))
	}
	req.Header.Set("Accept", "application/json")
	resp, err := k.client.Do(req)
	if err != nil {
		return nil, k.unreachable(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, badToken(keysUnreachable, fmt.Errorf("the key set answered %d", resp.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxKeySet+1))
	switch {
	case err != nil:
		return nil, k.unreachable(err)
	case len(body) > maxKeySet:
		return nil, badToken(keysTooLarge, fmt.Errorf("the key set is larger than %d bytes", maxKeySet))
	}
	return body, nil
}

// unreachable is why nothing came, without the URL: its query may hold a secret.
func (k *keySets) unreachable(err error) error {
	why := keysUnreachable
	if k.refused != nil && k.refused(err) {
		why = keysRefused
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return badToken(why, err)
}

func (k *keySets) get(name string) keySet {
	have, _ := k.parsed.get(name)
	return have
}
