package embedded

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"github.com/segmentio/kafka-go/sasl"
)

const (
	brokerUser = "parley"
	// LoginMechanism is how the generated login is shown: the password itself does not
	// travel, and the broker proves that it knows it too, so that a program that took
	// the port while the node was down learns nothing.
	LoginMechanism = "SCRAM-SHA-256"
)

// Login is what a client shows to the embedded broker.
type Login struct{ User, Password string }

// Mechanism logs in with it.
func (l Login) Mechanism() (sasl.Mechanism, error) {
	return Mechanism(LoginMechanism, l.User, l.Password)
}

// PasswordFile is the file with the generated password of the broker of a folder
// (mode 0600).
func PasswordFile(dir string) string { return filepath.Join(dir, "password") }

// ClientFile is the file that tells kcat, and others built on librdkafka, how to reach
// the broker of a folder (mode 0600). It is there while the login is the generated one.
func ClientFile(dir string) string { return filepath.Join(dir, "kcat.conf") }

// generatedLogin is the login that the folder remembers, made at its first start; a
// folder of an older version gets it too.
func generatedLogin(dir string) (Login, error) {
	login, err := LoginAt(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return login, err
	}
	login = Login{User: brokerUser, Password: rand.Text()}
	if err := datafolder.Note(PasswordFile(dir), login.Password); err != nil {
		return Login{}, fmt.Errorf("remembering the broker's password: %w", err)
	}
	return login, nil
}

// LoginAt is the generated login of the broker of a folder. The error wraps
// fs.ErrNotExist where there is none yet.
func LoginAt(dir string) (Login, error) {
	text, err := os.ReadFile(PasswordFile(dir))
	if err != nil {
		return Login{}, fmt.Errorf("the broker's password: %w; run as the user that runs the node", err)
	}
	password := strings.TrimSpace(string(text))
	if password == "" {
		return Login{}, fmt.Errorf("%s is empty: delete it and start again, a new password is made", PasswordFile(dir))
	}
	return Login{User: brokerUser, Password: password}, nil
}

// writeClientFile says how to reach the broker at the address; without a login it
// takes back what was said before.
func writeClientFile(dir, address string, login *Login) error {
	if login == nil {
		if err := os.Remove(ClientFile(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return datafolder.Note(ClientFile(dir), fmt.Sprintf(`# Made at each start of the broker. kcat reads it where KCAT_CONFIG names it.
bootstrap.servers=%s
security.protocol=SASL_PLAINTEXT
sasl.mechanism=%s
sasl.username=%s
sasl.password=%s`, address, LoginMechanism, login.User, login.Password))
}
