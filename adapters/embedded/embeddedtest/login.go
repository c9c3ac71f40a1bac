package embeddedtest

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
)

// loginOnce makes a login to the tests' server cost one round of its hash, and not the 4096 of a password that somebody
// might guess: each node of each test opens its connections anew.
func loginOnce(ctx context.Context, conn *pgx.Conn, databaseURL string) error {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return fmt.Errorf("the database URL does not parse") // the error would show the password
	}
	password, _ := u.User.Password()
	salt := []byte(rand.Text()[:16])
	salted, err := pbkdf2.Key(sha256.New, password, salt, 1, sha256.Size)
	if err != nil {
		return err
	}
	keyed := func(what string) []byte {
		h := hmac.New(sha256.New, salted)
		h.Write([]byte(what))
		return h.Sum(nil)
	}
	stored := sha256.Sum256(keyed("Client Key"))
	text := base64.StdEncoding.EncodeToString
	secret := fmt.Sprintf("SCRAM-SHA-256$1:%s$%s:%s", text(salt), text(stored[:]), text(keyed("Server Key")))
	_, err = conn.Exec(ctx, fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", pgx.Identifier{u.User.Username()}.Sanitize(), secret))
	return err
}
