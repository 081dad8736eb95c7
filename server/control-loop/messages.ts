/** The message of an error, for a row or a log line. */
export function messageOf(error: unknown): string {
	return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}

/** Thrown by a probe to simulate the death of the process; nothing may handle it. */
export class ProcessEnd extends Error {
	override name = "ProcessEnd";
}

export function isProcessEnd(error: unknown): boolean {
	return error instanceof ProcessEnd;
}
