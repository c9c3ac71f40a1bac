#!/usr/bin/env bash
# Installs what this machine lacks, of what is named: go cc postgres curl git jq kcat openssl
# swaks compose java jdk maven python node chromium systemd voice.
#
#   scripts/prerequisites.sh go postgres
#
# It prints only what it does, and needs root only when a package is missing; to
# others it says which line to run. What is there already is left as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly tools="$PWD/.tools"
# The oldest Postgres whose SQL Parley speaks (adapters/embedded says the same).
readonly oldest_postgres=15

# The oldest Node.js that the programs of interop/tools/package.json run on.
readonly oldest_node=20

# The oldest Java that Apache Kafka 4 runs on (adapters/kafka/kafkatest says the same).
readonly oldest_java=17

# What was fetched before counts as there, with or without make around us.
export PATH="$tools/go/bin:$PATH:/usr/local/go/bin"

say() { echo "prerequisites: $*"; }
fail() {
	echo "prerequisites: $*" >&2
	exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# --- what lacks -------------------------------------------------------------------

# A directive of go.mod: `go 1.26.0` or `toolchain go1.26.8`.
directive() { awk -v name="$1" '$1 == name { sub(/^go/, "", $2); print $2; exit }' go.mod; }

# at_least 1.26.1 1.26.0: is the first version the second or newer?
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

has_go() {
	have go || return 1
	local version
	# Outside of the module: inside, a new Go would fetch the toolchain to answer.
	version="$(cd / && go env GOVERSION 2>/dev/null)" || return 1
	version="${version#go}"
	version="${version%% *}"
	at_least "$version" "$(directive go)" && return 0
	# From 1.21 on, Go fetches the toolchain of go.mod itself, unless told not to.
	at_least "$version" 1.21 && [[ "$(cd / && go env GOTOOLCHAIN)" == *auto* ]] && (go version >/dev/null 2>&1)
}

has_postgres() {
	local program
	for program in "$(command -v postgres || true)" /usr/lib/postgresql/*/bin/postgres; do
		[ -x "$program" ] && at_least "$(postgres_version "$program")" "$oldest_postgres" && return 0
	done
	return 1
}
postgres_version() { "$1" --version | sed -E 's/.*\(PostgreSQL\) ([0-9.]+).*/\1/'; }

has_java() {
	local program=java version
	[ -z "${JAVA_HOME:-}" ] || program="$JAVA_HOME/bin/java"
	version="$("$program" -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p')" || return 1
	[ -n "$version" ] && [ "$version" -ge "$oldest_java" ]
}

has_node() {
	local version
	have npm && version="$(node --version 2>/dev/null)" && at_least "${version#v}" "$oldest_node"
}

# Whom tests call, and what they hear: a scripted callee, a soft phone, a proxy with a registrar, voices, beeps.
has_voice() {
	have sipp && have baresip && have linphonec && have espeak-ng && have sox && { have kamailio || [ -x /usr/sbin/kamailio ]; }
}

lacks() {
	case "$1" in
	go) ! has_go ;;
	cc) ! { have cc || have gcc || have clang; } ;;
	postgres) ! has_postgres ;;
	curl | git | jq | kcat | openssl | swaks) ! have "$1" ;;
	compose) ! { have docker-compose || docker compose version >/dev/null 2>&1; } ;;
	java) ! has_java ;;
	jdk) ! { has_java && have javac; } ;;
	maven) ! have mvn ;;
	python) ! python3 -c 'import ensurepip, venv' 2>/dev/null ;;
	node) ! has_node ;;
	chromium) ! have chromium ;;
	systemd) ! have systemd-analyze ;;
	voice) ! has_voice ;;
	*) fail "unknown name $1; known are go cc postgres curl git jq kcat openssl swaks compose java jdk maven python node chromium systemd voice" ;;
	esac
}

# The Debian packages that give what lacks.
packages_of() {
	case "$1" in
	go) have go || echo golang-go ;; # an older one is enough to fetch a newer one
	cc) echo gcc libc6-dev ;;
	postgres) echo postgresql ;;
	curl | git | jq | kcat | openssl | swaks) echo "$1" ;;
	compose) echo docker-compose ;;
	java) echo default-jre-headless ;;
	jdk) echo default-jdk-headless ;;
	maven) echo maven ;;
	python) echo python3-venv ;;
	node) echo nodejs npm ;;
	chromium) echo chromium ;;
	systemd) echo systemd ;;
	voice) echo sip-tester baresip-core linphone-cli kamailio espeak-ng sox ;;
	esac
}

# --- installing -------------------------------------------------------------------

apt_install() {
	say "installing $*"
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		fail "apt-get install $* failed"
	}
}

# Debian's package makes a cluster and starts it when it is installed. Parley needs
# the programs alone, so that is switched off while we install, and then the
# machine's setting is as it was. Clusters that exist are not touched.
apt_install_postgres() {
	local conf=/etc/postgresql-common/createcluster.conf
	apt_install postgresql-common
	cp "$conf" "$conf.before-parley"
	trap 'mv -f '"$conf.before-parley $conf" EXIT
	sed -i -E '/^[[:space:]]*create_main_cluster/d' "$conf"
	echo 'create_main_cluster = false' >>"$conf"
	apt_install postgresql
	mv -f "$conf.before-parley" "$conf"
	trap - EXIT
}

install_packages() {
	[ "$#" -gt 0 ] || return 0
	have apt-get || fail "this machine lacks: $missing. Install that by its own means (this script knows Debian's apt-get only)."
	[ "$(id -u)" = 0 ] || fail "this machine lacks: $missing. Run as root, then try again:
    apt-get update && apt-get install -y --no-install-recommends $*"
	log="$(mktemp)"
	say "updating the list of packages"
	apt-get update -qq >"$log" 2>&1 || say "apt-get update failed, going on with the list that is there"
	local others=()
	for package in "$@"; do
		if [ "$package" = postgresql ]; then apt_install_postgres; else others+=("$package"); fi
	done
	[ "${#others[@]}" = 0 ] || apt_install "${others[@]}"
	rm -f "$log"
}

# The Go project publishes its toolchains as modules. An old Go can download one,
# checksum and all, and we unpack it for this project alone.
fetch_go() {
	local wanted arch module cache
	wanted="$(directive toolchain)"
	[ -n "$wanted" ] || wanted="$(directive go)"
	case "$(uname -m)" in
	x86_64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "no Go $wanted for $(uname -m) is known here; install Go $wanted by hand" ;;
	esac
	module="golang.org/toolchain@v0.0.1-go$wanted.linux-$arch"
	say "fetching Go $wanted into .tools/go (this machine's is $(cd / && go env GOVERSION))"
	mkdir -p "$tools"
	rm -rf "$tools"/fetch.* # of a try that was interrupted
	cache="$(mktemp -d "$tools/fetch.XXXXXX")"
	# A module of its own: an old Go cannot read ours.
	echo 'module fetch' >"$cache/go.mod"
	(cd "$cache" && GOTOOLCHAIN=local GOFLAGS=-modcacherw GOMODCACHE="$cache/mod" go mod download "$module") ||
		fail "Go $wanted could not be downloaded through the module proxy ($(cd / && go env GOPROXY)); install Go $wanted by hand"
	# Modules carry no executable bits.
	chmod -R u+w "$cache/mod/$module"
	chmod -R a+x "$cache/mod/$module/bin" "$cache/mod/$module/pkg/tool"
	rm -rf "$tools/go"
	mv "$cache/mod/$module" "$tools/go"
	rm -rf "$cache"
	"$tools/go/bin/go" version >/dev/null || fail "the fetched Go does not run; remove .tools and install Go $wanted by hand"
}

# ----------------------------------------------------------------------------------

missing=""
packages=()
for name in "$@"; do
	if lacks "$name"; then
		missing="$missing${missing:+, }$name"
		read -r -a more <<<"$(packages_of "$name")"
		packages+=("${more[@]}")
	fi
done
[ -n "$missing" ] || exit 0

say "this machine lacks: $missing"
install_packages "${packages[@]}"
hash -r
for name in "$@"; do
	if [ "$name" = go ] && ! has_go; then
		fetch_go
		hash -r
	fi
	if lacks "$name"; then fail "$name is still missing after its installation; install it by hand"; fi
done
say "ready"
