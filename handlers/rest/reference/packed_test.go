package reference_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest/reference"
)

func fetch(path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	reference.Files()[path].ServeHTTP(w, r)
	return w
}

// What is embedded is the file that pinned.json names; scripts/scalar.sh says where it is from.
func TestScalarIsThePinnedOne(t *testing.T) {
	var pinned struct{ Sha256, Version string }
	text, err := os.ReadFile("scalar/pinned.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &pinned))
	got := fetch("/docs/scalar.js")
	sum := sha256.Sum256(got.Body.Bytes())
	require.Equal(t, pinned.Sha256, hex.EncodeToString(sum[:]))
	require.Contains(t, got.Body.String(), pinned.Version)
	require.Contains(t, fetch("/docs/LICENSE").Body.String(), "Permission is hereby granted, free of charge")
}

// A browser fetches megabytes once, and packed.
func TestAPackedFileIsSentOnce(t *testing.T) {
	plain, packed := fetch("/docs/scalar.js"), fetch("/docs/scalar.js", "Accept-Encoding", "gzip, br")
	require.Empty(t, plain.Header().Get("Content-Encoding"))
	require.Equal(t, "gzip", packed.Header().Get("Content-Encoding"))
	require.Less(t, packed.Body.Len()*3, plain.Body.Len())
	require.NotEqual(t, plain.Header().Get("ETag"), packed.Header().Get("ETag"), "two forms have two tags")
	again := fetch("/docs/scalar.js", "Accept-Encoding", "gzip", "If-None-Match", packed.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, again.Code)
	require.Zero(t, again.Body.Len())
	require.Equal(t, 200, fetch("/docs/scalar.js", "Accept-Encoding", "gzip", "Range", "bytes=0-9").Code)
}
