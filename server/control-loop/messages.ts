/** The words of an error, for a row or a log line. */
export function messageOf(error: unknown): string {
	return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
