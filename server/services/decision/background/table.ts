import { and, eq } from "drizzle-orm";
import { backtest } from "#server/db/schema/backtest.ts";
import { planStudy } from "#server/db/schema/plan-study.ts";

/** Tables of background jobs. They share id, state, progress, error and their worker's times. */
export const BACKGROUND_TABLES = { backtest, study: planStudy as unknown as typeof backtest } as const;
export type BackgroundKind = keyof typeof BACKGROUND_TABLES;

/** One term of one worker. `startedAtMs` identifies it, so that a run that was given up writes nothing more. */
export interface Term {
	id: string;
	startedAtMs: number;
}

/** The row while this term owns it. */
export function isMine(kind: BackgroundKind, { id, startedAtMs }: Term) {
	const table = BACKGROUND_TABLES[kind];
	return and(eq(table.id, id), eq(table.state, "running"), eq(table.startedAt, new Date(startedAtMs)));
}
