package kafkatest

import (
	"context"
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:embed pom.xml
var pom []byte

// oldestJava is the Java that the brokers of Kafka 4 need.
const oldestJava = 17

// Version is the Apache Kafka of pom.xml.
func Version() string {
	var p struct {
		Dependencies []struct {
			Artifact string `xml:"artifactId"`
			Version  string `xml:"version"`
		} `xml:"dependencies>dependency"`
	}
	if err := xml.Unmarshal(pom, &p); err != nil {
		panic("pom.xml: " + err.Error())
	}
	for _, d := range p.Dependencies {
		if strings.HasPrefix(d.Artifact, "kafka_") {
			return d.Version
		}
	}
	panic("pom.xml names no kafka_2.13")
}

// jars returns the folder with the broker's jars, downloading them when this user's
// cache has none of that version yet.
func jars(ctx context.Context, progress io.Writer) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a folder for Kafka's jars (set XDG_CACHE_HOME or HOME): %w", err)
	}
	dir := filepath.Join(cache, "parley", "apache-kafka-"+Version())
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return "", errors.New("neither Docker nor Maven is here to get Apache Kafka from: " +
			"run scripts/prerequisites.sh java maven (as root), start Docker, or name a running cluster in KAFKA_BROKERS")
	}
	fmt.Fprintf(progress, "kafka: downloading Apache Kafka %s with Maven to %s (45 MB, once)\n", Version(), dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	// A folder of its own until all is there: two that download at once do not meet,
	// and what was interrupted is not taken for whole.
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "download-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := os.WriteFile(filepath.Join(fresh, "pom.xml"), pom, 0o644); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "mvn", "--quiet", "--batch-mode", "dependency:copy-dependencies", "-DoutputDirectory=libs")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("downloading Apache Kafka %s with Maven: %w (is the network there, or a mirror set in ~/.m2/settings.xml?)\n%s",
			Version(), err, tail(out))
	}
	if err := os.Rename(filepath.Join(fresh, "libs"), dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return "", err
		}
	}
	return dir, nil
}

// java returns the program, after a look at its version.
func java(ctx context.Context) (string, error) {
	program := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		program = filepath.Join(home, "bin", "java")
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("there is no Java here to run Apache Kafka %s with: run scripts/prerequisites.sh java maven (as root), start "+
			"Docker, or name a running cluster in KAFKA_BROKERS", Version())
	}
	out, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s -version: %w\n%s", path, err, tail(out))
	}
	if have := javaVersion(string(out)); have < oldestJava {
		return "", fmt.Errorf("%s is Java %d, Apache Kafka %s needs %d or newer: install one and set JAVA_HOME", path, have, Version(),
			oldestJava)
	}
	return path, nil
}

var quotedVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// javaVersion reads 17 from `openjdk version "17.0.15"` and 8 from "1.8.0_402".
func javaVersion(out string) int {
	m := quotedVersion.FindStringSubmatch(out)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// tail is the end of a program's output, where the reason stands.
func tail(out []byte) string {
	const most = 2000
	if len(out) > most {
		out = out[len(out)-most:]
	}
	return strings.TrimSpace(string(out))
}
