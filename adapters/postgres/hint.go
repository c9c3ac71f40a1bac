package postgres

import (
	"crypto/x509"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// hint is what an operator checks first when a first connection fails.
func hint(err error) string {
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) {
		switch refusal.Code {
		case "28P01":
			return "the server refuses the password of the URL"
		case "28000":
			return "the server refuses this user, or this way to connect: check sslmode in the URL and the server's pg_hba.conf"
		case "3D000":
			return "make the database first; Parley makes the tables"
		}
	}
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return "the server's certificate is of an authority that this machine does not trust: name its certificate with sslrootcert=FILE in " +
			"the URL"
	case errors.As(err, &name):
		return "the server's certificate is for another name: use a name that is in it in the URL"
	case errors.As(err, &invalid):
		return "the server's certificate is not valid: renew it, and check this machine's clock"
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return "the server has no TLS: turn it on there (ssl=on), or leave sslmode out if nobody can listen in between"
	}
	return "is it running, and does the database of the URL exist?"
}
