package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// packed is a file as the binary carries it: a tenth of its size.
func packed(file []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(file)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("packing a generated file: %w", err)
	}
	return out.Bytes(), nil
}

// unpacked is what a file says, packed or not: two versions of Go pack the same bytes
// differently, and nothing is stale for that.
func unpacked(file []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return file
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return file
	}
	return plain
}
