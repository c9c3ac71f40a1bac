#!/usr/bin/env bash
# Runs the compose client, whichever this machine has: the plugin of docker or the
# older program of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

if docker compose version >/dev/null 2>&1; then
	exec docker compose "$@"
fi
exec docker-compose "$@"
