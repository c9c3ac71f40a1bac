#!/usr/bin/env bash
# Tests every operation of /openapi.json with made-up input, good and bad: no 500, no
# answer outside its schema, no input accepted that the schema refuses. Then wrong kinds of
# values in each place of each body, bodies that are too deep, and bodies of too many values.
#
#   scripts/fuzz.sh [options of schemathesis run, such as --include-operation-id dial-out]
#
# It starts a server of its own with the example workspace, in a folder that is removed
# at the end. The tester is a Python program, installed into .tools/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly venv="$PWD/.tools/fuzz"
scripts/pinned.sh venv "$venv" scripts/fuzz/requirements.txt

data="$(mktemp -d)"
server=""
stop() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	[ -z "$server" ] || wait "$server" 2>/dev/null || true
	rm -rf "$data"
}
trap stop EXIT

go build -o "$data/parley" ./cmd/parley
# Calls take a hundredth of their time, and no rate stops the tester.
"$data/parley" serve --dev --data "$data/data" --listen 127.0.0.1:0 --sim-speed 100 --rate 100000 >"$data/log" 2>&1 &
server=$!
for _ in $(seq 600); do
	[ ! -s "$data/data/dev.env" ] || break
	kill -0 "$server" 2>/dev/null || { cat "$data/log" >&2; echo "fuzz: the server did not start" >&2; exit 1; }
	sleep 0.1
done
[ -s "$data/data/dev.env" ] || { cat "$data/log" >&2; echo "fuzz: the server was not ready after a minute" >&2; exit 1; }
# shellcheck disable=SC1091
. "$data/data/dev.env"

cd scripts/fuzz
status=0
"$venv/bin/st" --config-file schemathesis.toml run "$PARLEY_URL/openapi.json" "$@" || status=$?
python3 kinds.py || status=1
if [ "$status" != 0 ] && grep -q '"level":"ERROR"' "$data/log"; then
	echo "fuzz: errors in the server's log:"
	grep '"level":"ERROR"' "$data/log" | sort | uniq | head -n 20
fi
kill -0 "$server" 2>/dev/null || { tail -n 50 "$data/log" >&2; echo "fuzz: the server ended while it was tested" >&2; exit 1; }
exit "$status"
