/** What scripts can act on; listed in `spillway help` and docs/cli.md. */
export const EXIT = {
	done: 0,
	jobFailed: 1,
	badInput: 2,
	notFound: 3,
	denied: 4,
	conflict: 5,
	server: 6,
	interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
	[EXIT.done, "done; with --wait or --follow: the job succeeded"],
	[EXIT.jobFailed, "with --wait or --follow: the job failed or was cancelled"],
	[EXIT.badInput, "wrong input: a flag, a file or a value"],
	[EXIT.notFound, "not found: job, policy, attempt or site"],
	[EXIT.denied, "no token, unknown token, or permission denied"],
	[EXIT.conflict, "conflict with the current state, such as cancelling a job that has ended"],
	[EXIT.server, "the server is unreachable or failed"],
	[EXIT.interrupted, "interrupted by Ctrl-C; jobs keep running"],
];

/** A failure that is printed as one line on stderr. */
export class CliError extends Error {
	override name = "CliError";
	readonly exitCode: ExitCode;
	constructor(exitCode: ExitCode, message: string, options?: { cause: unknown }) {
		super(message, options);
		this.exitCode = exitCode;
	}
}

export function exitOfStatus(status: number): ExitCode {
	if (status === 401 || status === 403) return EXIT.denied;
	if (status === 404) return EXIT.notFound;
	if (status === 409 || status === 412) return EXIT.conflict;
	return status >= 400 && status < 500 ? EXIT.badInput : EXIT.server;
}

/** Errors are one line, whatever text they contain. */
export function oneLine(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
	return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}
