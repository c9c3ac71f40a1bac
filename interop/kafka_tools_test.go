//go:build interop

package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kafkaPom is the one place with the version of Apache Kafka; its tools have the same.
const kafkaPom = "adapters/kafka/kafkatest/pom.xml"

// kafkaJars are Kafka's own tools, as kafka-topics.sh and the others start them.
var kafkaJars = sync.OnceValues(func() (string, error) {
	return installed("kafka", filepath.Join("..", "..", kafkaPom), func(dir string) error {
		about, err := os.ReadFile(filepath.Join(repository, kafkaPom))
		if err != nil {
			return err
		}
		version := regexp.MustCompile(`<artifactId>kafka_2.13</artifactId>\s*<version>(.*)</version>`).FindSubmatch(about)
		if version == nil {
			return fmt.Errorf("%s names no version of kafka_2.13", kafkaPom)
		}
		return quietly(dir, "mvn", "--quiet", "--batch-mode", "--file", filepath.Join(repository, "interop", "tools", "kafka", "pom.xml"),
			"-Dkafka="+string(version[1]), "dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(dir, "libs"))
	})
})

// What the scripts of Kafka's bin folder start.
const (
	kafkaTopics  = "org.apache.kafka.tools.TopicCommand"
	kafkaOffsets = "org.apache.kafka.tools.GetOffsetShell"
	kafkaConsume = "org.apache.kafka.tools.consumer.ConsoleConsumer"
	kafkaGroups  = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
	kafkaConfigs = "kafka.admin.ConfigCommand"
	kafkaCuts    = "org.apache.kafka.tools.DeleteRecordsCommand"
	kafkaCommits = "org.apache.kafka.tools.TransactionsCommand"
)

// kafkaTool runs one of them with the login of dev.env, and gives what it said and whether
// it was content. A broker that does not answer would hold it for the 20 s of its settings.
func kafkaTool(t *testing.T, s Server, tool string, args ...string) (string, error) {
	t.Helper()
	dir, err := kafkaJars()
	require.NoError(t, err)
	settings := filepath.Join(t.TempDir(), "client.properties")
	require.NoError(t, os.WriteFile(settings, fmt.Appendf(nil, `security.protocol=SASL_PLAINTEXT
sasl.mechanism=%s
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="%s" password="%s";
default.api.timeout.ms=20000
request.timeout.ms=10000
`, s.Env["KAFKA_SASL"], s.Env["KAFKA_USER"], s.Env["KAFKA_PASSWORD"]), 0o600))
	out, err := job{}.try("java", append([]string{"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", filepath.Join(dir, "libs", "*"), tool,
		"--bootstrap-server", s.Env["KAFKA_BROKERS"], "--command-config", settings}, args...)...)
	return strings.TrimSpace(out), err
}

// Given the broker that a node brings along, when Kafka's own tools look at it with its
// login, then they show what they show of any broker.
func TestKafkasToolsReadTheEmbeddedBroker(t *testing.T) {
	t.Parallel()
	s := server(t)
	for _, look := range []struct {
		tool string
		args []string
		says []string // as regular expressions, each in a line
	}{
		{kafkaTopics, []string{"--list"}, []string{`parley\.calls`, `parley\.tenants`, `parley\.keyset`}},
		{kafkaTopics, []string{"--describe", "--topic", "parley.calls"},
			[]string{`Topic: parley\.calls.*PartitionCount: 6.*retention\.ms=-1`, `Partition: 5\s+Leader: 0`}},
		{kafkaOffsets, []string{"--topic", "parley.tenants", "--time", "earliest"}, []string{`parley\.tenants:0:0`}},
		{kafkaConsume, []string{"--topic", "parley.tenants", "--partition", "0", "--offset", "0", "--max-messages", "1", "--timeout-ms", "20000",
			"--formatter-property", "print.headers=true"}, []string{`ce_type:parley\.genesis\.v1.*"topic":"parley\.tenants"`}},
		{kafkaGroups, []string{"--list"}, []string{`parley-dialer`, `parley-webhook-sender`}},
		{kafkaGroups, []string{"--describe", "--group", "parley-dialer"}, []string{`GROUP.*LAG`, `parley-dialer\s+parley\.calls\s+5`}},
		{kafkaConfigs, []string{"--describe", "--entity-type", "topics", "--entity-name", "parley.calls"},
			[]string{`cleanup\.policy=delete`, `max\.message\.bytes=8388608`}},
	} {
		out, err := kafkaTool(t, s, look.tool, look.args...)
		require.NoError(t, err, "%s %s\n%s", look.tool, look.args, out)
		for _, want := range look.says {
			assert.Regexp(t, "(?m)^.*"+want, out, "%s %s", look.tool, look.args)
		}
	}
}

// Given the same, when they ask for what the embedded broker does not give, then they say
// why; nothing hangs, and nothing was done.
func TestKafkasToolsHearWhatTheEmbeddedBrokerDoesNot(t *testing.T) {
	t.Parallel()
	s := server(t)
	cut := filepath.Join(t.TempDir(), "cut.json")
	require.NoError(t, os.WriteFile(cut, []byte(`{"version":1,"partitions":[{"topic":"parley.calls","partition":0,"offset":1}]}`), 0o600))
	const kept = "the embedded broker keeps its log as it is"
	for _, wish := range []struct {
		tool string
		args []string
		says string
	}{
		{kafkaTopics, []string{"--delete", "--topic", "parley.calls"}, kept},
		{kafkaConfigs, []string{"--alter", "--entity-type", "topics", "--entity-name", "parley.calls", "--add-config", "retention.ms=1"}, kept},
		{kafkaCuts, []string{"--offset-json-file", cut}, "Topic authorization failed"},
		{kafkaCommits, []string{"list"}, "does not support LIST_TRANSACTIONS"},
		{kafkaGroups, []string{"--describe", "--group", "nobody"}, "does not exist"},
	} {
		out, _ := kafkaTool(t, s, wish.tool, wish.args...) // some of them end well all the same
		assert.Contains(t, out, wish.says, "%s %s", wish.tool, wish.args)
	}
	out, err := kafkaTool(t, s, kafkaOffsets, "--topic", "parley.calls", "--time", "earliest")
	require.NoError(t, err, out)
	require.Contains(t, out, "parley.calls:0:0", "nothing was cut off")

	s.Env = map[string]string{"KAFKA_BROKERS": s.Env["KAFKA_BROKERS"], "KAFKA_SASL": s.Env["KAFKA_SASL"], "KAFKA_USER": "parley",
		"KAFKA_PASSWORD": "guessed"}
	out, err = kafkaTool(t, s, kafkaTopics, "--list")
	require.Error(t, err)
	require.Contains(t, out, "the user or the password is wrong")
}

// A topic of one's own is made on the embedded broker as on any.
func TestKafkasToolsMakeATopic(t *testing.T) {
	t.Parallel()
	s := server(t)
	out, err := kafkaTool(t, s, kafkaTopics, "--create", "--topic", "interop", "--partitions", "2", "--replication-factor", "1")
	require.NoError(t, err, out)
	require.Contains(t, out, "Created topic interop")
}
