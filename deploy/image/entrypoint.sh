#!/bin/sh
# The commands of the image. `web` and `scheduler` are the two long-running programs; `migrate` updates the database;
# anything else is a command of the `spillway` client, for example `backup` or `restore`.
set -eu
root=${SPILLWAY_ROOT:-/opt/spillway}
command=${1:-web}
[ "$#" -eq 0 ] || shift
cd "$root"
case "$command" in
	web | scheduler)
		# Shows the health check which program runs here. A read-only root needs a writable /tmp.
		echo "$command" >/tmp/spillway-program
		exec node "server/bin/$command.ts" "$@"
		;;
	migrate)
		exec node server/bin/migrate.ts "$@"
		;;
	health)
		program=${1:-$(cat /tmp/spillway-program 2>/dev/null || echo web)}
		if [ "$program" = scheduler ]; then port=${SPILLWAY_SCHEDULER_PORT:-9464}; else port=${SPILLWAY_PORT:-3000}; fi
		exec node -e 'fetch(`http://127.0.0.1:${process.argv[1]}/healthz`, { signal: AbortSignal.timeout(4000) })
			.then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))' "$port"
		;;
	*)
		exec node cli/spillway.mjs "$command" "$@"
		;;
esac
