package acts

import "fmt"

// SealURL gives what others may read of a URL that a caller gave, and the whole of it
// sealed for the tenant if that is not all.
type SealURL func(tenantID, raw string) (bare, sealed string, err error)

// stored is the URL of a request as a notice takes it over. Requests from before URLs
// were sealed hold all of theirs in the open: it is not copied once more.
func (seal SealURL) stored(tenantID, url, sealed string) (bare, whole string, err error) {
	if sealed != "" {
		return url, sealed, nil
	}
	if bare, whole, err = seal(tenantID, url); err != nil {
		return "", "", fmt.Errorf("sealing the URL of a notice: %w", err)
	}
	return bare, whole, nil
}
