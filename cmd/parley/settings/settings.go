// Package settings is where commands find what their flags do not say: a flag goes before
// the environment, the environment before the dev.env of a data folder, and that before
// the default.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/parley-platform/parley/cmd/parley/commandline"
	"github.com/parley-platform/parley/cmd/parley/exit"
)

// File is what parley serve --dev writes into its data folder, for shells to source and
// for commands to read.
const File = "dev.env"

// Write writes a file to source; it holds secrets.
func Write(file string, env [][2]string) error {
	var b strings.Builder
	b.WriteString("# made by parley serve --dev; source it: . " + file + "\n")
	for _, kv := range env {
		fmt.Fprintf(&b, "export %s='%s'\n", kv[0], strings.ReplaceAll(kv[1], "'", `'\''`))
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// Read reads what Write wrote; nothing where there is no such file.
func Read(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the settings of serve --dev: %w", err)
	}
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		if len(value) >= 2 && value[0] == '\'' && value[len(value)-1] == '\'' {
			value = strings.ReplaceAll(value[1:len(value)-1], `'\''`, "'")
		}
		env[name] = value
	}
	return env, nil
}

// Tag is the tag of a flag that names its variable in the file, as in dev:"BOT_ID".
const Tag = "dev"

// The flags of which the file goes by, and which go out of each other's way.
const (
	dataFlag, urlFlag, tokenFlag, keyFlag = "data", "url", "token", "api-key"
	// DefaultData is the folder whose file is read where a command has no --data of its own.
	DefaultData = ".data"
)

// FromFile resolves the flags that neither the command line nor the environment says. The
// file is of one server: where another is named, nothing is taken from it, so that no
// credential gets to a server that it is not of.
func FromFile() kong.Resolver {
	var files = map[string]map[string]string{}
	return kong.ResolverFunc(func(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		variable := flag.Tag.Get(Tag)
		if variable == "" {
			return nil, nil
		}
		if outOfTheWay(ctx, flag) {
			return "", nil
		}
		if inEnvironment(flag) {
			return nil, nil
		}
		file := filepath.Join(folder(ctx), File)
		if _, read := files[file]; !read {
			values, err := Read(file)
			if err != nil {
				return nil, err
			}
			files[file] = values
		}
		value, there := files[file][variable]
		switch {
		case !there, elsewhere(ctx, files[file]):
			return nil, nil
		case flag.Name == urlFlag && !loopback(value) && othersCredential(ctx, files[file]):
			return nil, nil
		}
		return value, nil
	})
}

// outOfTheWay reports whether a flag is a credential while the other one is on the command
// line: what is said there is meant, whatever else is set.
func outOfTheWay(ctx *kong.Context, flag *kong.Flag) bool {
	other := map[string]string{tokenFlag: keyFlag, keyFlag: tokenFlag}[flag.Name]
	return other != "" && said(ctx, other)
}

// OneCredential refuses two on the command line: which of them is meant, nobody knows.
func OneCredential(ctx *kong.Context) error {
	if said(ctx, tokenFlag) && said(ctx, keyFlag) {
		return exit.Wrongf(
			"--token and --api-key: a request carries one credential, in the header auth (a token) or in x-api-key (an API key): " +
				"give one of them")
	}
	return nil
}

// othersCredential reports whether the command line or the environment has a credential
// that is not the file's: whoever wrote the file, which may lie in anybody's folder, does
// not get it by naming a server of his own.
func othersCredential(ctx *kong.Context, file map[string]string) bool {
	for name, variable := range map[string]string{tokenFlag: "PARLEY_TOKEN", keyFlag: "PARLEY_API_KEY"} {
		if text, byDefault := value(ctx, name); !byDefault && text != file[variable] {
			return true
		}
	}
	return false
}

// loopback reports whether a server is on this machine.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// Hinted adds, where flags are missing that the file could say, where it is looked for.
func Hinted(err error) error {
	var parse *commandline.Error
	if !errors.As(err, &parse) || !strings.Contains(err.Error(), "missing flags") {
		return err
	}
	for _, flag := range parse.Context.Flags() {
		if flag.Tag.Get(Tag) != "" && strings.Contains(err.Error(), "--"+flag.Name+"=") {
			return fmt.Errorf("%w\nBeside parley serve --dev they are read from its %s: run this in the same folder, or name its data folder "+
				"with --data. For another server than its own (--url, PARLEY_URL) nothing is read from it: say them, or set them, as --help shows",
				err, File)
		}
	}
	return err
}

// said reports whether a flag is on the command line.
func said(ctx *kong.Context, name string) bool {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == name && !p.Resolved {
			return true
		}
	}
	return false
}

func inEnvironment(flag *kong.Flag) bool {
	for _, name := range flag.Envs {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

// value is what the command line, the environment or the default says of a flag.
func value(ctx *kong.Context, name string) (text string, byDefault bool) {
	for _, flag := range ctx.Flags() {
		if flag.Name == name {
			text, _ = ctx.FlagValue(flag).(string)
			return text, !said(ctx, name) && !inEnvironment(flag)
		}
	}
	return "", true
}

func folder(ctx *kong.Context) string {
	if dir, _ := value(ctx, dataFlag); dir != "" {
		return dir
	}
	return DefaultData
}

// elsewhere reports whether a server is named that is not the file's.
func elsewhere(ctx *kong.Context, file map[string]string) bool {
	address, byDefault := value(ctx, urlFlag)
	return !byDefault && strings.TrimRight(address, "/") != strings.TrimRight(file["PARLEY_URL"], "/")
}
