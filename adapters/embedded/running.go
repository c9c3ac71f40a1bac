package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// BrokerAt is the address of the broker that another process runs in the folder, a
// loopback address with the port that the folder remembers, and its generated login;
// nil for one of a version that had none.
func BrokerAt(dir string) (address string, login *Login, err error) {
	port := rememberedPort(dir)
	if port == 0 {
		return "", nil, fmt.Errorf("%s does not say where its broker listens: name it with --kafka-brokers", dir)
	}
	address = "127.0.0.1:" + strconv.Itoa(port)
	found, err := LoginAt(dir)
	if errors.Is(err, os.ErrNotExist) {
		return address, nil, nil
	}
	return address, &found, err
}

// PostgresAt is the URL, password included, of the server that another process runs
// in the folder.
func PostgresAt(dir string) (string, error) {
	home := dir
	note, err := os.ReadFile(filepath.Join(dir, locationFile))
	if err == nil {
		home = strings.TrimSpace(string(note))
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("looking for the private Postgres: %w", err)
	}
	secret, err := os.ReadFile(folder{home: home}.password())
	if err != nil {
		return "", fmt.Errorf("looking for the private Postgres: %w; run as the user that runs it, or name it with --database-url", err)
	}
	port := rememberedPort(home)
	if port == 0 {
		return "", fmt.Errorf("%s does not say where its Postgres listens: name it with --database-url", home)
	}
	return (&Postgres{port: port, secret: strings.TrimSpace(string(secret))}).URL(), nil
}
