export type StatementAt = { month: string; team: string; version: number | null };

/** One form of the query's input, so that what the server prefetches is what the browser asks for. */
export function statementQuery({ month, team, version }: StatementAt) {
	return version === null ? { month, team } : { month, team, version };
}
