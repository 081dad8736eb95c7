/** A failure that the person at the terminal can act on: what happened, why, and what to do. Printed without a stack. */
export class PlainError extends Error {
	/**
	 * @param {string} what one or two sentences: what happened and why
	 * @param {string} todo what the reader does about it
	 * @param {{cause?: unknown, detail?: string}} [more] `detail`: output of the program that failed
	 */
	constructor(what, todo, more = {}) {
		super(what, more.cause === undefined ? undefined : { cause: more.cause });
		this.name = "PlainError";
		this.todo = todo;
		this.detail = more.detail;
	}
}

/** @param {unknown} error */
export function describeError(error) {
	if (!(error instanceof PlainError)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
	const detail = error.detail?.trim();
	return [...(detail ? [indent(detail), ""] : []), error.message, `What to do: ${error.todo}`].join("\n");
}

const indent = (text) =>
	text
		.split("\n")
		.map((line) => `  | ${line}`)
		.join("\n");
