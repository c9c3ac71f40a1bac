#!/usr/bin/env bash
# Writes the clients of the API, clients/typescript and clients/python, from docs/openapi.json.
#
#   scripts/clients.sh                       write what is generated of them
#   scripts/clients.sh --into DIR            write whole clients into DIR instead
#   scripts/clients.sh --document FILE ...   of another document
#   scripts/clients.sh --released            record docs/openapi.json as that of a released version
#   scripts/clients.sh --install             only install what generates and tests them
#
# The generators are pinned, with all that they bring along: clients/typescript/package-lock.json
# and clients/python/generator.txt. They are installed into .tools/clients.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly tools="$PWD/.tools/clients"
document="$PWD/docs/openapi.json"
into=""
task=write
while [ "$#" -gt 0 ]; do
	case "$1" in
	--into) into="$2" && shift ;;
	--document) document="$(realpath "$2")" && shift ;;
	--released) task=record ;;
	--install) task=install ;;
	*) echo "clients: unknown argument $1; the head of scripts/clients.sh lists them" >&2 && exit 2 ;;
	esac
	shift
done

fail() {
	echo "clients: $*" >&2
	exit 1
}

install() {
	scripts/pinned.sh npm "$tools/npm" clients/typescript/package-lock.json
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		fail "the generator of the Python client wants Python 3.11 or newer, and this is $(python3 --version)"
	scripts/pinned.sh venv "$tools/venv" clients/python/generator.txt --no-deps
}

version_of() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).info.version' "$1"; }

# set_version FILE.json VERSION: of a package, and of its lock.
set_version() {
	node -e '
		const fs = require("fs"), [file, version] = process.argv.slice(1), about = JSON.parse(fs.readFileSync(file));
		about.version = version;
		if (about.packages) about.packages[""].version = version;
		fs.writeFileSync(file, JSON.stringify(about, null, 2) + "\n");
	' "$1" "$2"
}

typescript() {
	cd "$1/typescript"
	"$tools/npm/node_modules/.bin/openapi-typescript" "$document" --output src/schema.ts >/dev/null
	node scripts/routes.mjs "$document" src/routes.ts
	set_version package.json "$version"
	set_version package-lock.json "$version"
}

python() {
	cd "$1/python"
	export PATH="$tools/venv/bin:$PATH" # it runs ruff
	local log plain
	log="$(mktemp)" plain="$(mktemp --suffix .json)"
	# It makes a class of its own of each list of values with null in it; what may be null says so by its type, too.
	node -e '
		const fs = require("fs"), [from, to] = process.argv.slice(1);
		const bare = (key, value) => (key === "enum" && Array.isArray(value) ? value.filter((one) => one !== null) : value);
		fs.writeFileSync(to, JSON.stringify(JSON.parse(fs.readFileSync(from)), bare));
	' "$document" "$plain"
	# It warns of the types of sound that it leaves out; application/octet-stream is there for it.
	openapi-python-client generate --path "$plain" --meta none --custom-template-path templates --output-path parley/generated --overwrite >"$log" 2>&1 || {
		cat "$log" >&2
		fail "openapi-python-client failed"
	}
	rm -f "$log" "$plain"
	"$tools/venv/bin/python" scripts/operations.py "$document" parley/generated parley/operations.py
	ruff check --quiet --isolated --no-cache --fix --select F,I parley/operations.py
	ruff format --quiet --isolated --no-cache --line-length 140 parley/operations.py
	sed -i -E "s/^version = .*/version = \"$version\"/" pyproject.toml
	rm -rf parley/generated/.ruff_cache
}

# Clients that are in use are held against the API: what was released never changes.
record() {
	local file
	file="clients/released/$(version_of "$document").json"
	[ ! -e "$file" ] || fail "$file is there: that version was released. Raise Number in cmd/parley/version/version.go and run go run ./cmd/generate first"
	mkdir -p clients/released
	cp "$document" "$file"
	echo "wrote $file"
}

case "$task" in
record) record && exit ;;
install) install; exit ;;
esac
install
version="$(version_of "$document")"
to="$PWD/clients"
if [ -n "$into" ]; then
	mkdir -p "$into"
	to="$(realpath "$into")"
	for client in typescript python; do
		mkdir -p "$to/$client"
		tar -C "clients/$client" --exclude=./node_modules --exclude=./dist --exclude=./.test --exclude=__pycache__ --exclude=.mypy_cache --exclude=.ruff_cache -cf - . | tar -C "$to/$client" -xf -
	done
fi
rm -rf "$to/python/parley/generated"
(typescript "$to") &
(python "$to")
wait $!
