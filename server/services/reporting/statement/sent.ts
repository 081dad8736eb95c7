import { eq, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { delivery } from "#server/db/schema/alert.ts";

/** Number of channels by delivery state of a version, and the time of the last delivery. */
export interface SentTo {
	sent: number;
	pending: number;
	failed: number;
	lastAt: Date | null;
}

export const aboutStatement = (statementId: string): string => `statement:${statementId}`;

export async function countDeliveries(db: DbOrTx, statementId: string | null): Promise<SentTo> {
	const none: SentTo = { sent: 0, pending: 0, failed: 0, lastAt: null };
	if (statementId === null) return none;
	const count = (state: "sent" | "pending" | "failed") =>
		sql<number>`(count(*) filter (where ${delivery.state} = ${sql.raw(`'${state}'`)}))::int`;
	const [row] = await db
		.select({
			sent: count("sent"),
			pending: count("pending"),
			failed: count("failed"),
			lastAt: sql<string | null>`max(${delivery.sentAt})::text`,
		})
		.from(delivery)
		.where(eq(delivery.about, aboutStatement(statementId)));
	return row ? { ...row, lastAt: row.lastAt === null ? null : new Date(row.lastAt) } : none;
}
