#!/usr/bin/env bash
# Fetches the file of Scalar that handlers/rest/reference/scalar/pinned.json names from its
# npm package, and packs it to be embedded: scripts/scalar.sh
# With --check it compares only. A new version: change version, integrity and sha256 there
# (npm view @scalar/api-reference@VERSION dist.integrity), then run this and make interop.
set -euo pipefail
here="$(cd "$(dirname "$0")/../handlers/rest/reference/scalar" && pwd)"
pinned() { sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" "$here/pinned.json"; }
fail() { echo "scalar.sh: $*" >&2; exit 1; }

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent "$(pinned package)@$(pinned version)" >/dev/null || fail "the registry did not give $(pinned package) $(pinned version)"
archive="$(echo ./*.tgz)"
integrity="sha512-$(openssl dgst -sha512 -binary "$archive" | base64 | tr -d '\n')"
[ "$integrity" = "$(pinned integrity)" ] || fail "the package is $integrity, pinned.json says $(pinned integrity)"
tar -xzOf "$archive" "$(pinned file)" >scalar.js
sum="$(sha256sum scalar.js | cut -d' ' -f1)"
[ "$sum" = "$(pinned sha256)" ] || fail "$(pinned file) is $sum, pinned.json says $(pinned sha256)"
if [ "${1:-}" = --check ]; then
	gunzip -c "$here/scalar.js.gz" | cmp - scalar.js || fail "scalar.js.gz is another file: run scripts/scalar.sh"
	exit
fi
gzip -9n <scalar.js >"$here/scalar.js.gz"
echo "$here/scalar.js.gz is $(pinned package) $(pinned version)"
