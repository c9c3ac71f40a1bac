package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/commandline"
)

// command is one that asks a node.
type command struct {
	Ask struct {
		URL     string `default:"http://127.0.0.1:8080" env:"PARLEY_URL" dev:"PARLEY_URL"`
		Token   string `env:"PARLEY_TOKEN" dev:"PARLEY_TOKEN"`
		APIKey  string `name:"api-key" env:"PARLEY_API_KEY" dev:"PARLEY_API_KEY"`
		Project string `required:"" env:"PARLEY_PROJECT,BOT_ID" dev:"BOT_ID"`
		Data    string `default:".data"`
		Other   string `default:"own"`
	} `cmd:""`
}

const devURL = "http://127.0.0.1:9999"

// asking parses a command line beside the dev.env of a folder .data and of one elsewhere.
func asking(t *testing.T, env map[string]string, args ...string) (command, error) {
	t.Helper()
	for _, name := range []string{"PARLEY_URL", "PARLEY_TOKEN", "PARLEY_API_KEY", "PARLEY_PROJECT", "BOT_ID", "PARLEY_DATA"} {
		t.Setenv(name, "") // for its cleanup
		require.NoError(t, os.Unsetenv(name))
	}
	for name, value := range env {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	for folder, token := range map[string]string{".data": "dev", "other": "it's other"} {
		require.NoError(t, os.Mkdir(folder, 0o700))
		require.NoError(t, Write(filepath.Join(folder, File), [][2]string{{"PARLEY_URL", devURL}, {"PARLEY_TOKEN", token},
			{"PARLEY_API_KEY", "key"}, {"BOT_ID", "bot"}, {"OTHER", "x"}}))
	}
	var c command
	parser, err := kong.New(&c, kong.DefaultEnvars("PARLEY"), kong.Resolvers(FromFile()))
	require.NoError(t, err)
	ctx, err := commandline.Parse(parser, append([]string{"ask"}, args...))
	if err == nil {
		err = OneCredential(ctx)
	}
	return c, err
}

func TestAFlagGoesBeforeTheEnvironmentAndThatBeforeTheFile(t *testing.T) {
	type env = map[string]string
	for name, row := range map[string]struct {
		env                      env
		args                     []string
		url, token, key, project string
	}{
		"the file of .data":             {nil, nil, devURL, "dev", "key", "bot"},
		"the file of another folder":    {nil, []string{"--data", "other"}, devURL, "it's other", "key", "bot"},
		"a folder of the environment":   {env{"PARLEY_DATA": "other"}, nil, devURL, "it's other", "key", "bot"},
		"no file: the default":          {nil, []string{"--data", "none", "--project", "p"}, "http://127.0.0.1:8080", "", "", "p"},
		"the environment":               {env{"PARLEY_TOKEN": "e", "BOT_ID": "eb"}, nil, devURL, "e", "key", "eb"},
		"a variable that is empty":      {env{"PARLEY_TOKEN": ""}, nil, devURL, "dev", "key", "bot"},
		"a flag":                        {env{"BOT_ID": "eb"}, []string{"--project", "f"}, devURL, "dev", "key", "f"},
		"the same server, said":         {nil, []string{"--url", devURL + "/"}, devURL + "/", "dev", "key", "bot"},
		"another server: nothing of it": {nil, []string{"--url", "http://prod", "--project", "p"}, "http://prod", "", "", "p"},
		"another by the environment":    {env{"PARLEY_URL": "http://prod", "BOT_ID": "b"}, nil, "http://prod", "", "", "b"},
		"a token that is said":          {env{"PARLEY_API_KEY": "e"}, []string{"--token", "f"}, devURL, "f", "", "bot"},
		"a key that is said":            {env{"PARLEY_TOKEN": "e"}, []string{"--api-key", "f"}, devURL, "", "f", "bot"},
		"another server, its own two": {env{"PARLEY_TOKEN": "t", "BOT_ID": "b"}, []string{"--url", "http://prod"}, "http://prod", "t", "",
			"b"},
		"the environment of the whole lot": {env{"PARLEY_PROJECT": "a", "BOT_ID": "b"}, nil, devURL, "dev", "key", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := asking(t, row.env, row.args...)
			require.NoError(t, err)
			require.Equal(t, []string{row.url, row.token, row.key, row.project},
				[]string{c.Ask.URL, c.Ask.Token, c.Ask.APIKey, c.Ask.Project})
			require.Equal(t, "own", c.Ask.Other, "only what has the tag is read")
		})
	}
}

// Whoever leaves a dev.env in a folder gets no credential that is not in it.
func TestAFileGetsNoCredentialOfOthers(t *testing.T) {
	foreign := t.TempDir()
	require.NoError(t, Write(filepath.Join(foreign, File), [][2]string{{"PARLEY_URL", "https://elsewhere.example"}, {"PARLEY_TOKEN", "its"},
		{"BOT_ID", "bot"}}))
	for name, row := range map[string]struct {
		env  map[string]string
		args []string
		url  string
	}{
		"its own token":      {nil, nil, "https://elsewhere.example"},
		"the same, sourced":  {map[string]string{"PARLEY_TOKEN": "its"}, nil, "https://elsewhere.example"},
		"a token of mine":    {map[string]string{"PARLEY_TOKEN": "mine"}, nil, "http://127.0.0.1:8080"},
		"a key of mine":      {nil, []string{"--api-key", "mine"}, "http://127.0.0.1:8080"},
		"mine, and a server": {map[string]string{"PARLEY_TOKEN": "mine"}, []string{"--url", "https://mine"}, "https://mine"},
		"to its server, said": {map[string]string{"PARLEY_TOKEN": "mine"}, []string{"--url", "https://elsewhere.example"},
			"https://elsewhere.example"},
		"a token on this host": {map[string]string{"PARLEY_TOKEN": "mine"}, []string{"--data", ".data"}, devURL},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := asking(t, row.env, append([]string{"--data", foreign, "--project", "p"}, row.args...)...)
			require.NoError(t, err)
			require.Equal(t, row.url, c.Ask.URL)
		})
	}
}

func TestWhatCannotBeSettled(t *testing.T) {
	_, err := asking(t, nil, "--token", "t", "--api-key", "k")
	require.ErrorContains(t, err, "auth")
	require.ErrorContains(t, err, "x-api-key")
	_, err = asking(t, nil, "--data", "none")
	require.ErrorContains(t, err, "--project", "what nobody says is still asked for")
	require.ErrorContains(t, Hinted(err), "--data", "and where it is looked for is told")
	_, err = asking(t, nil, "--nonsense")
	require.Equal(t, err, Hinted(err))
}

// What was written is read back as it was, and as a shell reads it.
func TestAFileIsReadAsItWasWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), File)
	wanted := [][2]string{{"A", "it's"}, {"B", ""}, {"C", "a=b 'c'"}, {"D", "${HOME} `id`"}}
	require.NoError(t, Write(file, wanted))
	got, err := Read(file)
	require.NoError(t, err)
	require.Len(t, got, len(wanted))
	for _, kv := range wanted {
		require.Equal(t, kv[1], got[kv[0]])
	}
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = Read(filepath.Dir(file))
	require.ErrorContains(t, err, "reading the settings")
}
