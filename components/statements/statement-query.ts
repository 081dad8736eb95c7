export type StatementAt = { month: string; team: string; version: number | null };

/** Shared by server and browser so that the prefetched query key matches. */
export function statementQuery({ month, team, version }: StatementAt) {
	return version === null ? { month, team } : { month, team, version };
}
