#!/bin/sh
# Runs the command of one attempt and writes down how it ended, whether or not a scheduler is alive.
#
#   run-job.sh <state folder> <path of setsid, or -> <command> [argument...]
#
# In the state folder: `pid` (who we are; made by one process only, so that an attempt never runs twice), `child` (the
# command's process group; made when it runs), `stop` (written by the driver before it sends us SIGTERM: seconds of
# grace), `killed` (the grace is over), `exit` (the command's status; 128 + n for signal n).
#
# Every variable here begins with SPILLWAY__: a plain name could be one that the job's environment exports, and setting
# it would change it for the job. Job files cannot use names that begin with SPILLWAY_.

SPILLWAY__CHILD=
SPILLWAY__ASKED=
SPILLWAY__PASSED=
SPILLWAY__GRACE=
SPILLWAY__CAUGHT=

# The group exists from setsid on. Before, the child is a copy of this shell, which could take the signal and forget it.
spillway__pass_on() {
	kill -s TERM -- "-$SPILLWAY__CHILD" && return 0
	while kill -s 0 "$SPILLWAY__CHILD"; do
		kill -s TERM -- "-$SPILLWAY__CHILD" && break
		command -p sleep 0.01 || command -p sleep 1
	done &
}

# SIGTERM: passes it on once, and sees to it that the end comes when the grace is over. A later call may shorten it.
spillway__asked() {
	SPILLWAY__ASKED=yes
	SPILLWAY__CAUGHT=yes
	[ -n "$SPILLWAY__CHILD" ] || return 0
	if [ -z "$SPILLWAY__PASSED" ]; then
		SPILLWAY__PASSED=yes
		spillway__pass_on
	fi
	SPILLWAY__BEFORE=$SPILLWAY__GRACE
	{ read -r SPILLWAY__GRACE <"$SPILLWAY__STATE/stop"; }
	[ "$SPILLWAY__GRACE" != "$SPILLWAY__BEFORE" ] || return 0
	(
		command -p sleep "$SPILLWAY__GRACE"
		: >"$SPILLWAY__STATE/killed"
		kill -s KILL -- "-$SPILLWAY__CHILD" || kill -s KILL "$SPILLWAY__CHILD"
	) &
}

spillway__finish() {
	printf '%s\n' "$1" >"$SPILLWAY__STATE/exit.new" && command -p mv -f "$SPILLWAY__STATE/exit.new" "$SPILLWAY__STATE/exit"
	# Our own group: this shell and what it may have left asleep.
	kill -s KILL 0
}

spillway__claim() {
	if { read -r SPILLWAY__SELF <"/proc/$$/stat"; }; then
		read -r SPILLWAY__EPOCH </proc/sys/kernel/random/boot_id
	else
		SPILLWAY__SELF=$$
		SPILLWAY__EPOCH=$(LC_ALL=C command -p ps -o lstart= -p $$)
	fi
	set -C
	{ printf '%s\n%s\n' "$SPILLWAY__SELF" "$SPILLWAY__EPOCH" >"$SPILLWAY__STATE/pid"; } || exit 0
	set +C
}

# Sets SPILLWAY__STATUS. A signal to us ends a `wait` early, with 143; a status that was given once is not given again (127).
spillway__wait() {
	SPILLWAY__STATUS=
	while :; do
		SPILLWAY__CAUGHT=
		wait "$SPILLWAY__CHILD"
		SPILLWAY__NEW=$?
		[ "$SPILLWAY__NEW" = 127 ] && [ -n "$SPILLWAY__STATUS" ] || SPILLWAY__STATUS=$SPILLWAY__NEW
		[ -n "$SPILLWAY__CAUGHT" ] || return 0
	done
}

# Whether the command's group has a process that runs. One that ended and was not collected yet is none: for some it
# takes a second until the host's first process does that, and in some containers forever. A zombie with other threads
# runs, see server/kernel/process-stat.mjs.
spillway__group_lives() {
	kill -s 0 -- "-$SPILLWAY__CHILD" || return 1
	[ -r /proc/self/stat ] || return 0
	for SPILLWAY__FILE in /proc/[0-9]*/stat; do
		{ read -r SPILLWAY__LINE <"$SPILLWAY__FILE"; } || continue
		# After the name in brackets: state, parent, group; the 18th field is the number of threads.
		set -- ${SPILLWAY__LINE##*) }
		[ "$3" = "$SPILLWAY__CHILD" ] || continue
		case $1 in [ZX]) [ "${18}" -gt 1 ] || continue ;; esac
		return 0
	done
	return 1
}

spillway__main() {
	SPILLWAY__STATE=$1
	SPILLWAY__SETSID=$2
	shift 2
	# What this shell itself would say ("Killed") does not belong into the job's log.
	exec 3>&2 2>/dev/null
	trap spillway__asked TERM
	spillway__claim
	# The driver writes `stop` first and then looks for `pid`; we made `pid` first and look for `stop` now: one of us sees it.
	[ ! -e "$SPILLWAY__STATE/stop" ] || spillway__finish 143
	if [ "$SPILLWAY__SETSID" = - ]; then
		set -m
		"$@" 2>&3 3>&- &
		set +m
	else
		"$SPILLWAY__SETSID" "$@" 2>&3 3>&- &
	fi
	SPILLWAY__CHILD=$!
	printf '%s\n' "$SPILLWAY__CHILD" >"$SPILLWAY__STATE/child"
	[ -z "$SPILLWAY__ASKED" ] || spillway__asked
	spillway__wait
	if [ -n "$SPILLWAY__ASKED" ]; then
		# A shell that dies at once must not take the grace from the program that it had started.
		while [ ! -e "$SPILLWAY__STATE/killed" ] && spillway__group_lives; do
			command -p sleep 0.02 || command -p sleep 1
		done
	fi
	kill -s KILL -- "-$SPILLWAY__CHILD"
	spillway__finish "$SPILLWAY__STATUS"
}

spillway__main "$@"
