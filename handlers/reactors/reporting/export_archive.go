package reporting

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"github.com/parley-platform/parley/domain/searchindexes"
	"time"
)

// exportArchive makes the file of an export: a zip with one JSON file per feature, in
// the order given. A feature that is not set up is null. The same settings and time
// give the same bytes, so that an export that is built again is the same export.
func exportArchive(index searchindexes.State, features []searchindexes.Feature, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, feature := range features {
		content := bytes.NewBufferString("null")
		if value := index.Settings[feature]; len(value) > 0 {
			content.Reset()
			if err := json.Indent(content, value, "", "  "); err != nil {
				return nil, fmt.Errorf("writing %s: %w", feature, err)
			}
		}
		content.WriteByte('\n')
		file, err := archive.CreateHeader(&zip.FileHeader{Name: string(feature) + ".json", Method: zip.Deflate, Modified: at.UTC()})
		if err == nil {
			_, err = file.Write(content.Bytes())
		}
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", feature, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("packing the export: %w", err)
	}
	return out.Bytes(), nil
}
