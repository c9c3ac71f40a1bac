package rest

import (
	"crypto/hmac"
	"encoding/hex"
	"net/url"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// fileLife is how long the signed address of a file works.
const fileLife = time.Hour

// PurposeFileURL is the purpose of the keyed hash that signs addresses of files.
const PurposeFileURL = "file-url"

// FileLinks makes the addresses from which files are downloaded.
type FileLinks struct {
	MAC  eventstore.MAC
	Base func() string // how callers reach the API
	Now  func() time.Time
}

// Link is the signed address of a file, good for an hour.
func (l FileLinks) Link(fileID string) string {
	expires := strconv.FormatInt(l.Now().Add(fileLife).Unix(), 10)
	return l.Base() + "/api/v1/files/" + url.PathEscape(fileID) + "?expires=" + expires + "&signature=" +
		hex.EncodeToString(l.sign(fileID, expires))
}

func (l FileLinks) sign(fileID, expires string) []byte { return l.MAC(PurposeFileURL, fileID, expires) }

// Check refuses an address that was not made here, and one whose time is over. Only
// who has a good signature learns whether there is such a file.
func (l FileLinks) Check(fileID string, expires int64, signature string) error {
	given, err := hex.DecodeString(signature)
	if err != nil || !hmac.Equal(given, l.sign(fileID, strconv.FormatInt(expires, 10))) {
		return fault.New(fault.Forbidden, "the signature is not that of this address")
	}
	if !l.Now().Before(time.Unix(expires, 0)) {
		return fault.New(fault.Gone, "the address has expired: ask for a new one")
	}
	return nil
}
