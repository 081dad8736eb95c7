import type { AttemptFolder } from "../local/attempt-folder.ts";

/** Literal words for a POSIX shell. */
export function quoted(words: readonly string[]): string {
	return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

/** Variables as a script that a POSIX shell sources. */
export function exportsOf(env: Readonly<Record<string, string>>): string {
	return Object.entries(env)
		.map(([name, value]) => `export ${name}=${quoted([value])}\n`)
		.join("");
}

/** Files shared by the job's script and the driver, in addition to those of run-job.sh. */
export interface LaunchFiles {
	/** Created by one run only, so that an attempt that Slurm has twice, or runs again, runs once. */
	claim: string;
	/** Written by the run that has the claim: the number of its Slurm job and its restart count. */
	run: string;
	/** Slurm's own messages in the job's output, such as why it was cancelled. */
	slurmLog: string;
}

export interface LaunchInput {
	paths: AttemptFolder;
	files: LaunchFiles;
	/** Folders that the script creates first. */
	folders: readonly string[];
	/** Path of run-job.sh. */
	supervisor: string;
	/** The command, in its container or on its nodes if it has any. */
	argv: readonly string[];
	/** A program that must exist on the node before anything runs; null: unknown. */
	mustExist: string | null;
	/** Folders that must exist on the node before anything runs. Undefined: none. */
	mounts?: readonly { name: string; source: string }[];
	/**
	 * Whether the job has secret variables. They are read from their file, which is then deleted, and are never part of what Slurm
	 * stores about a job.
	 */
	secretEnvironment?: boolean;
}

/**
 * The script of the Slurm job. It starts the supervisor, the same as for the local site, and exits as the command did, so that
 * Slurm's accounting records the same end. SIGCONT is the driver's signal that there is a `stop` file. It has no effect on the
 * job's other processes, so only the supervisor sends the command its SIGTERM, once.
 */
export function launchScript({
	paths,
	files,
	folders,
	supervisor,
	argv,
	mustExist,
	mounts = [],
	secretEnvironment = false,
}: LaunchInput): string {
	const failed = (error: string, status: number, failedAt = "start") => [
		`	printf '%s\\n' ${quoted([JSON.stringify({ error, failedAt })])} >"$SPILLWAY__STATE/exit.new" && command -p mv -f "$SPILLWAY__STATE/exit.new" "$SPILLWAY__STATE/exit"`,
		`	exit ${status}`,
	];
	const check =
		mustExist === null
			? []
			: [
					`if ! command -v -- ${quoted([mustExist])} >/dev/null; then`,
					...failed(`the command ${JSON.stringify(mustExist)} was not found on the node`, 127),
					"fi",
				];
	const mounted = mounts.flatMap(({ name, source }) => [
		`if [ ! -d ${quoted([source])} ]; then`,
		...failed(`mount ${name} is not available on the node: ${source} is not a folder there`, 1, "staging"),
		"fi",
	]);
	const secrets = secretEnvironment
		? [
				`if [ ! -r ${quoted([paths.secretEnvironment])} ]; then`,
				...failed("the job's secrets are missing from its folder", 1),
				"fi",
				`. ${quoted([paths.secretEnvironment])}`,
				`command -p rm -f ${quoted([paths.secretEnvironment])}`,
			]
		: [];
	return `${[
		"#!/bin/sh",
		`SPILLWAY__STATE=${quoted([paths.state])}`,
		"SPILLWAY__SUPERVISOR=",
		...(folders.length === 0 ? [] : [`(umask 077; command -p mkdir -p ${quoted(folders)}) || exit 1`]),
		`cd ${quoted([paths.work])} || exit 1`,
		`command -p mkdir ${quoted([files.claim])} || exit 1`,
		`printf '%s %s\\n' "$SLURM_JOB_ID" "\${SLURM_RESTART_COUNT:-0}" >${quoted([`${files.run}.new`])}`,
		`command -p mv -f ${quoted([`${files.run}.new`, files.run])}`,
		...mounted,
		...check,
		...secrets,
		"spillway__stop() {",
		'	[ -n "$SPILLWAY__SUPERVISOR" ] && [ -e "$SPILLWAY__STATE/stop" ] || return 0',
		"	# Its trap is set when its file is there.",
		'	until [ -e "$SPILLWAY__STATE/pid" ] || ! kill -s 0 "$SPILLWAY__SUPERVISOR"; do sleep 0.05; done',
		'	kill -s TERM "$SPILLWAY__SUPERVISOR"',
		"}",
		"trap spillway__stop CONT",
		"# Slurm's own SIGTERM reaches the command by itself.",
		"trap : TERM",
		`setsid /bin/sh ${quoted([supervisor, paths.state])} "$(command -v setsid)" ${quoted(argv)} >>${quoted([paths.stdout])} 2>>${quoted([paths.stderr])} &`,
		"SPILLWAY__SUPERVISOR=$!",
		"# For a sign that came while it had no number yet.",
		"spillway__stop",
		'while kill -s 0 "$SPILLWAY__SUPERVISOR" 2>/dev/null; do wait "$SPILLWAY__SUPERVISOR"; done',
		"# A step that outlived its grace, which no signal of the supervisor's reaches; else it would stay for Slurm's KillWait.",
		'[ ! -e "$SPILLWAY__STATE/killed" ] || scancel --signal=KILL "$SLURM_JOB_ID.0" 2>/dev/null',
		'{ read -r SPILLWAY__STATUS <"$SPILLWAY__STATE/exit"; } 2>/dev/null',
		'case $SPILLWAY__STATUS in [0-9]*) exit "$SPILLWAY__STATUS" ;; *) exit 1 ;; esac',
	].join("\n")}\n`;
}
