#!/usr/bin/env bash
# Fills a folder with what a file pins, unless it holds just that already.
#
#   scripts/pinned.sh npm DIR package-lock.json        the packages of the lock, and of the package.json beside it
#   scripts/pinned.sh venv DIR requirements.txt [...]  a Python environment; what follows are options of pip install
#
# A copy of the file is the last thing that comes into the folder, so what was cut off is
# made again.
set -euo pipefail

readonly kind="$1" dir="$2" pin="$3"
shift 3
if cmp -s "$pin" "$dir/.installed"; then exit; fi

# uv installs with a tenth of pip's work. Named by its version, and moved there whole, so that two who fetch it at once agree.
readonly uv="$PWD/.tools/$(cat scripts/uv.txt)"
fetch_uv() {
	[ ! -x "$uv" ] || return 0
	local from
	mkdir -p .tools && from="$(mktemp -d .tools/uv.XXXXXX)" && python3 -m venv "$from" &&
		"$from/bin/pip" install --quiet --disable-pip-version-check -r scripts/uv.txt && mv "$from/bin/uv" "$uv"
	rm -rf "$from"
	[ -x "$uv" ]
}

# Neither compiles what it installs: what is imported is compiled then. pip is for machines whose registry only
# its own configuration names, which uv does not read.
environment() {
	if fetch_uv && "$uv" venv --quiet --clear "$dir" && "$uv" pip install --quiet --python "$dir" "$@" -r "$pin"; then return; fi
	python3 -m venv --clear "$dir" && "$dir/bin/pip" install --quiet --disable-pip-version-check --no-compile "$@" -r "$pin"
}

install() {
	case "$kind" in
	npm) cp "$(dirname "$pin")/package.json" "$pin" "$dir" && (cd "$dir" && npm ci --no-audit --no-fund --ignore-scripts) ;;
	venv) environment "$@" ;;
	*) echo "$kind is none of what the head of scripts/pinned.sh lists" && return 2 ;;
	esac
}

echo "installing what $pin names into $dir" >&2
rm -rf "$dir"
mkdir -p "$dir"
install "$@" >&2 || {
	echo "pinned: $pin could not be installed, perhaps because its registry is out of reach. Repeat this where it is not; $dir keeps what it gives" >&2
	exit 1
}
cp "$pin" "$dir/.installed"
