package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/vault"
)

// run runs a command to its end, in an empty folder, and returns what it said.
func run(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), args...)
	cmd.Env, cmd.Dir = clean(os.Environ()), t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	require.NoError(t, ctx.Err(), "parley %s does not end; it says:\n%s", strings.Join(args, " "), out)
	return string(out), cmd.ProcessState.ExitCode()
}

func TestHelpOfEachCommandSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	for command, wanted := range map[string][]string{
		"": {"Usage: parley <command>", "serve", "apply", "token", "topics", "parley serve --dev"},
		"serve": {"Run a node", "--data", ".data", "--listen", "127.0.0.1:8080", "--kafka-brokers", "--database-url", "--keyset",
			"--roles", "--dev", "--sim-speed", "$PARLEY_DATA"},
		"apply":   {"manifests", "--file", "--url", "--token", "--dry-run", "$PARLEY_TOKEN"},
		"token":   {"JWT", "--operator", "--client", "--expires", "Examples:"},
		"topics":  {"Kafka", "--kafka-brokers", "--replicas"},
		"rebuild": {"Build read models", "--all", "--check", "--data"},
		"doctor":  {"Examine", "--scan", "--keyset", "Examples:"},
		"events":  {"who did what", "--follow", "--since"},
		"reactor": {"poison", "replay", "list"},

		"call":          {"Place a call", "--follow", "--machine-detection", "$PARLEY_CALLER", "Examples:", "jq"},
		"calls":         {"--status", "session:read", "Examples:"},
		"keys":          {"list", "create", "revoke"},
		"keys list":     {"audit:read", "Examples:"},
		"keys revoke":   {"ak-", "Examples:"},
		"campaigns":     {"start", "pause", "resume", "results"},
		"tail":          {"--since", "audit:read", "Examples:"},
		"test":          {"run", "record"},
		"test run":      {"TestSuite", "--environment", "--language", "Conversation Tests Execution", "Examples:"},
		"prices import": {"LiteLLM", "--models", "--as", "--dry-run", "Examples:"},
		"completion":    {"bash", "zsh", "fish", "source <("},
		"key create":    {"--project", "--scope", "--keyset", "--account", "$PARLEY_TOKEN", "Examples:", "once"},
		"log salvage":   {"Copy", "--data", "--to", "Examples:"},
	} {
		t.Run("parley "+command, func(t *testing.T) {
			said, code := run(t, strings.Fields(command+" --help")...)
			require.Zero(t, code, said)
			for _, w := range wanted {
				require.Contains(t, said, w)
			}
		})
	}
}

// The version is told whatever else is said or set, and by --version alone.
func TestVersionSaysWhatThisIs(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"--version", "serve"}} {
		said, code := run(t, args...)
		require.Zero(t, code, said)
		require.Regexp(t, `^parley \d+\.\d+\.\d+\S*, (unknown commit|commit [0-9a-f]{12}).*, go\d\S+ \w+/\w+\n$`, said)
	}
	printed, said, err := tool(t, []string{"PARLEY_VERSION=true"}, "token", "--operator")
	require.Error(t, err)
	require.Empty(t, printed, "a variable of the environment, such as a container's, asks for nothing")
	require.Contains(t, said, "--keyset")
}

// Scripts tell by the code whether the same command may work later.
func TestACodeSaysWhetherToChangeSomething(t *testing.T) {
	t.Parallel()
	serve := func(args string) string { return "serve --listen 127.0.0.1:0 --data " + t.TempDir() + " " + args } // comes so far as to listen
	for args, wanted := range map[string]int{
		"version": 0, "serf": 2, "": 2, "token": 2, "token --operator": 2, "rebuild": 2, "rebuild acces": 2, "apply": 2, "calls": 2,
		"reactor replay": 2, "keys": 2, "completion tcsh": 2, "topics --kafka-brokers 127.0.0.1:1": 1,
		"tail --url http://127.0.0.1:1 --token x": 1,
		"serve --turns 0":                         2, "serve --roles projectors": 2, "serve --models none.json": 2, "serve --kafka-sasl PLAIN": 2,
		serve("--blob-url ftp://files"): 2, "serve --database-url parley": 2, serve("--trace-endpoint collector"): 2,
		"serve --kafka-brokers kafka": 2, "topics --kafka-brokers kafka": 2, "serve --roles api,api": 2,
		serve("--database-url postgres://127.0.0.1:1/parley"): 1,
	} {
		said, code := run(t, strings.Fields(args)...)
		require.Equal(t, wanted, code, "parley %s: %s", args, said)
	}
}

// A command that cannot do what it was asked says why, in words that lead on, and
// ends with a code that scripts see.
func TestRefusalsOfCommandsLeadOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	manifest, broken := filepath.Join(dir, "tenant.yaml"), filepath.Join(dir, "broken.yaml")
	require.NoError(t, os.WriteFile(manifest, []byte("kind: Tenant\nmetadata:\n  id: acme\n  name: Acme\nspec:\n  orgId: acme-org\n"), 0o600))
	require.NoError(t, os.WriteFile(broken, []byte("kind: Tenant\nmetadata:\n  id: [acme\n"), 0o600))
	nobody := "127.0.0.1:1"
	for _, c := range []struct {
		args   string
		wanted []string
	}{
		{"", []string{"expected one of", "serve"}},
		{"serf", []string{"unexpected argument serf"}},
		{"serve --dat x", []string{"unknown flag --dat", "--data"}},
		{"serve --roles api", []string{"--roles", "--kafka-brokers", "--database-url"}},
		{"serve --roles api,projectors", []string{"--roles", `"projectors"`, "projector"}},
		{"serve --roles api,api,projector,reactor", []string{"--roles", "api is there twice", "media"}},
		{"serve --kafka-brokers kafka", []string{"--kafka-brokers kafka", "HOST:PORT"}},
		{"serve --dev --listen 0.0.0.0:8080", []string{"--dev", "0.0.0.0:8080", "public", "loopback"}},
		{"serve --dev --listen :8080", []string{"--dev", "public"}},
		{"serve --sim-speed 0", []string{"--sim-speed 0", "at least 1"}},
		{"serve --sim-speed 0.4", []string{"--sim-speed", "0.4", "int"}},
		{"serve --sim-speed 1001", []string{"--sim-speed 1001", "1 to 1000"}},
		{"serve --kafka-listen 0.0.0.0:9092", []string{"loopback", "--kafka-brokers"}},
		{"serve --campaign-lines 0", []string{"--campaign-lines 0", "at least 1"}},
		{"serve --campaign-messages 0", []string{"--campaign-messages 0", "at least 1"}},
		{"serve --rate 0", []string{"--rate 0", "at least 1"}},
		{"serve --key-limit=-1", []string{"--key-limit -1", "at least 1"}},
		{"serve --disk-reserve 0", []string{"--disk-reserve 0", "at least 1"}},
		{"serve --call-lease 0s", []string{"--call-lease 0s", "at least 1s"}},
		{"serve --drain-delay=-1s", []string{"--drain-delay -1s", "at least 0s"}},
		{"serve --drain-delay 400h", []string{"--drain-delay 400h", "at most 1h"}},
		{"serve --call-lease 900h", []string{"--call-lease 900h", "at most 1h"}},
		{"serve --rtc-public-address 192.0.2.7", []string{"--rtc-public-address", "--rtc-udp"}},
		{"serve --kafka-brokers kafka:9092 --kafka-user parley", []string{"--kafka-user", "--kafka-sasl"}},
		{"serve --kafka-brokers kafka:9092 --kafka-listen 127.0.0.1:9092", []string{"--kafka-listen", "--kafka-brokers"}},
		{"serve --public-url parley.example.com", []string{"--public-url parley.example.com", "https://"}},
		{"serve --public-url parley.example.com:8080", []string{"--public-url", "https://"}},
		{"serve --public-url ftp://parley.example.com", []string{"--public-url", "https://"}},
		{"serve --public-url https://", []string{"--public-url", "a host"}},
		{"serve --llm-provider openai", []string{"--llm-provider", "OPENAI_API_KEY"}},
		{"serve --stt-provider openai", []string{"--stt-provider", "OPENAI_API_KEY"}},
		{"serve --speech-provider openai", []string{"--speech-provider", "OPENAI_API_KEY"}},
		{"serve --speech-recogniser deepgram", []string{"--speech-recogniser", "DEEPGRAM_API_KEY"}},
		{"serve --sms-provider twilio", []string{"--sms-provider", "TWILIO_ACCOUNT_SID"}},
		{"keys rotate --data none", []string{"none/keyset.json", "--keyset", "--data"}},
		{"keys rewrap --keyset none.json", []string{"none.json", "--keyset", "--data"}},
		{"serve --kafka-ca ca.pem", []string{"--kafka-ca needs --kafka-tls"}},
		{"serve --kafka-sasl PLAIN", []string{"--kafka-password-file"}},
		{"serve --listen 127.0.0.1:0 --database-url postgres://me:hidden-word@" + nobody + "/parley",
			[]string{"reaching the database", nobody, "is it running"}},
		{"serve --database-url postgres://me:hidden-word@" + nobody + ":x/parley", []string{"--database-url", "invalid port"}},
		{"topics", []string{"--kafka-brokers", "PARLEY_KAFKA_BROKERS"}},
		{"topics --kafka-brokers " + nobody, []string{nobody, "refused"}},
		{"token", []string{"--operator --keyset FILE", "--client ID --account ID"}},
		{"token --operator", []string{"--keyset"}},
		{"token --operator --keyset none.json", []string{"--keyset", "none.json"}},
		{"token --client acme-console", []string{"--account"}},
		{"token --client acme-console --account acme", []string{"--secret-file", "PARLEY_CLIENT_SECRET"}},
		{"token --client acme-console --account acme --permissions fly", []string{"--permissions", `"fly"`, "session:read"}},
		{"apply", []string{"-f FILE"}},
		{"apply -f none.yaml", []string{"none.yaml"}},
		{"apply -f " + broken, []string{broken, "nothing was applied"}},
		{"apply -f " + manifest, []string{"PARLEY_TOKEN", "parley token --operator"}},
		{"apply --token x --url http://" + nobody + " " + manifest, []string{"parley serve --dev", "PARLEY_URL"}},
	} {
		t.Run("parley "+c.args, func(t *testing.T) {
			said, code := run(t, strings.Fields(c.args)...)
			require.NotZero(t, code, said)
			for _, w := range c.wanted {
				require.Contains(t, said, w)
			}
			require.NotContains(t, said, "goroutine ", "a panic")
			require.NotContains(t, said, "hidden-word", "a password")
		})
	}
}

// Given addresses that are none, when a node is to listen there, then it ends before it has begun anything,
// with the code of what has to be changed.
func TestAddressesThatAreNoneAreRefusedWithTheOtherSettings(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for _, flag := range []string{"--listen", "--smtp-listen", "--rtc-udp", "--sip-listen", "--kafka-listen"} {
		for _, at := range []string{"foo", "127.0.0.1", "127.0.0.1:70000", "127.0.0.1:-1"} {
			said, code := run(t, "serve", "--data", data, flag, at)
			require.Equal(t, 2, code, said)
			require.Contains(t, said, flag+" "+at+": ")
		}
	}
	require.NoDirExists(t, data)
}

// Given ports that another program has, when a node is to listen there, then it says by which flag they were
// named and what to do; the same command works once that program has ended.
func TestPortsThatAnotherProgramHasAreSaidWithTheirFlag(t *testing.T) {
	t.Parallel()
	for flag, network := range map[string]string{"--listen": "tcp", "--smtp-listen": "tcp", "--kafka-listen": "tcp", "--rtc-udp": "udp",
		"--sip-listen": "udp"} {
		t.Run(flag, func(t *testing.T) {
			taken := freeAddress(t)
			if network == "udp" {
				p, err := net.ListenPacket(network, taken)
				require.NoError(t, err)
				defer p.Close()
			} else {
				l, err := net.Listen(network, taken)
				require.NoError(t, err)
				defer l.Close()
			}
			args := []string{"serve", "--data", dataFolder(t), flag, taken}
			if flag != "--listen" {
				args = append(args, "--listen", freeAddress(t))
			}
			said, code := run(t, args...)
			require.Equal(t, 1, code, said)
			require.Contains(t, said, "parley: "+flag+" "+taken+": ")
			require.Contains(t, said, "end that one, or name another port")
		})
	}
}

// Given a folder that is no node's, or a key that there is not, then the exit code is that of what has to be changed:
// a script that tries again at 1 would do so for ever.
func TestWhatIsNotThereHasToBeNamedOtherwise(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := vault.Create(filepath.Join(dir, "keyset.json"))
	require.NoError(t, err)
	for args, wanted := range map[string]string{
		"keys rotate --use 12": "parley keys rotate without --use adds one",
		"keys mend":            "is not the folder of a node",
		"rebuild --all":        "is not the folder of a node",
		"topics --replicas=-3": "at least 1",
		"topics":               "--kafka-brokers",
		"reactor list":         "--kafka-brokers",
		"log salvage --to " + dir + "/there-is-none": "there is no embedded log",
	} {
		said, code := run(t, append(strings.Fields(args), "--data", dir)...)
		require.Equal(t, 2, code, said)
		require.Contains(t, said, wanted, args)
	}
}

// What a second node gets to hear beside one that runs.
func TestSecondNodeSaysWhatIsInItsWay(t *testing.T) {
	t.Parallel()
	data, listen := dataFolder(t), freeAddress(t)
	node := serve(t, data, listen)

	said, code := run(t, "serve", "--data", data, "--listen", freeAddress(t))
	require.NotZero(t, code)
	require.Contains(t, said, data)
	require.Contains(t, said, fmt.Sprintf("kill %d", node.cmd.Process.Pid))
	require.Contains(t, said, "--data")

	said, code = run(t, "serve", "--data", dataFolder(t), "--listen", listen)
	require.NotZero(t, code)
	require.Contains(t, said, listen)
	require.Contains(t, said, "address already in use")
	require.Contains(t, said, "--listen")

	node.awaitReady() // the first goes on
	for _, command := range [][]string{{"reactor", "replay", "--reactor", "webhook-sendr"}, {"reactor", "poison", "list", "--reactor", "x"}} {
		said, code = run(t, append(command, "--data", data)...)
		require.Equal(t, 2, code, said)
		require.Contains(t, said, "parley reactor list")
	}
	said, code = run(t, "reactor", "replay", "--reactor", "webhook-sender", "--data", data)
	require.Zero(t, code, said)
	require.Contains(t, said, "nothing to replay")
	manifest := filepath.Join(t.TempDir(), "tenant.yaml")
	require.NoError(t, os.WriteFile(manifest, []byte("kind: Tenant\nmetadata:\n  id: acme\n  name: Acme\nspec:\n  orgId: acme-org\n"), 0o600))
	said, code = run(t, "apply", "--url", node.url, "--token", "no-token", manifest)
	require.NotZero(t, code)
	require.Contains(t, said, "UNAUTHORIZED")
	require.Contains(t, said, "parley token --operator")

	// and the way that the messages lead: an operator's token, then apply
	token, code := run(t, "token", "--operator", "--keyset", filepath.Join(data, "keyset.json"))
	require.Zero(t, code, token)
	for _, outcome := range []string{"1 created, 0 changed, 0 unchanged", "0 created, 0 changed, 1 unchanged"} {
		said, code = run(t, "apply", "--url", node.url, "--token", strings.TrimSpace(token), manifest)
		require.Zero(t, code, said)
		require.Contains(t, said, outcome)
	}
}

// Of what kong can do for a command, cmd/parley/commandline does a part: no command may
// need more of it.
func TestEveryCommandIsOneThatRuns(t *testing.T) {
	app := parser(&CLI{})
	for _, leaf := range app.Model.Leaves(false) {
		command := leaf.Target.Addr().Interface()
		_, alone := command.(interface{ Run() error })
		_, told := command.(interface{ Run(*kong.Context) error })
		require.True(t, alone || told, "%s has no Run() error", leaf.Path())
	}
	require.NoError(t, kong.Visit(app.Model, func(visited kong.Visitable, next kong.Next) error {
		var target reflect.Value
		switch v := visited.(type) {
		case *kong.Value:
			target = v.Target
			require.Empty(t, v.Tag.And, "%s: flags that come together are checked by the command", v.Name)
		case *kong.Node:
			target = v.Target
			run := target.Addr().MethodByName("Run")
			require.False(t, len(v.Children) > 0 && run.IsValid(), "%s has commands, and a Run that nobody calls", v.Path())
		case *kong.Application:
			target = v.Target
		}
		for _, hook := range []string{"BeforeResolve", "BeforeApply", "AfterApply", "AfterRun", "Validate"} {
			if target.IsValid() {
				require.False(t, target.Addr().MethodByName(hook).IsValid(), "%s: nobody calls %s", target.Type(), hook)
			}
		}
		return next(nil)
	}))
}
