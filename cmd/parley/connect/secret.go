package connect

import (
	"errors"
	"fmt"
	"os"
)

// SecretFile reads a secret from a file, without the line end that editors add.
func SecretFile(path string) (string, error) {
	if path == "" {
		return "", errors.New("is needed")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a secret: %w", err)
	}
	for len(data) > 0 && (data[len(data)-1] == '\n' || data[len(data)-1] == '\r') {
		data = data[:len(data)-1]
	}
	return string(data), nil
}
