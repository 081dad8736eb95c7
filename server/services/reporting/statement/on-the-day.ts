import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { channel, delivery } from "#server/db/schema/alert.ts";
import type { StatementContent } from "#server/domain/statement.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { systemContext } from "#server/services/core/context.ts";
import { closeMonth } from "./close.ts";
import { dueMonth } from "./due-month.ts";
import { aboutStatement } from "./sent.ts";
import { newestOf, type StoredStatement } from "./stored.ts";

export const STATEMENT_TOPIC = "statement";

/**
 * Statement work from the configured day on, repeated until done: closes the last month if it is still open, and puts its
 * newest statements into the outbox of every channel that subscribes to statements and has not received them. Corrections of
 * the last month follow in the same way. Repeated calls do nothing twice.
 */
export async function runStatementDay(ctx: { db: Db; clock: Clock }): Promise<{ closed: string | null; deliveries: number }> {
	const last = await dueMonth(ctx.db, ctx.clock.nowMs());
	if (!last) return { closed: null, deliveries: 0 };
	const closed = (await newestOf(ctx.db, last.month)).size > 0 ? null : await closeIfCharged(ctx, last.month);
	return { closed, deliveries: await deliver(ctx, last.month) };
}

async function closeIfCharged(ctx: { db: Db; clock: Clock }, month: string): Promise<string | null> {
	try {
		await closeMonth(systemContext(ctx.db, ctx.clock), { month });
		return month;
	} catch (error) {
		// A month without charges has no statement; a concurrent close has the same result. Missing exchange rates raise an alert.
		if (error instanceof SpillwayError && (error.code === "conflict" || error.code === "invalid_input")) return null;
		throw error;
	}
}

async function deliver({ db, clock }: { db: Db; clock: Clock }, month: string): Promise<number> {
	const channels = await db
		.select({ id: channel.id, team: channel.team })
		.from(channel)
		.where(and(eq(channel.enabled, true), sql`${STATEMENT_TOPIC} = any(${channel.topics})`))
		.orderBy(asc(channel.id));
	if (channels.length === 0) return 0;
	const newest = await newestOf(db, month);
	const now = new Date(clock.nowMs());
	const rows = channels.flatMap(({ id: channelId, team }) => {
		// A channel without a team is the company's: it gets the one statement that shows every team.
		const row = newest.get(team ?? "");
		if (!row) return [];
		const id = newId("dlv", now.getTime());
		return [{ id, channelId, about: aboutStatement(row.id), message: messageOf(row), nextTryAt: now, createdAt: now }];
	});
	if (rows.length === 0) return 0;
	const written = await db.insert(delivery).values(rows).onConflictDoNothing().returning({ id: delivery.id });
	return written.length;
}

export function messageOf(row: Pick<StoredStatement, "month" | "team" | "version" | "content" | "sha256" | "correction">) {
	const { month, team, version, content } = row;
	const owner = team === "" ? "the company" : `team ${team}`;
	const side = (key: "owned" | "cloud"): string => content.sides.find((s) => s.key === key)?.sums.effectiveMicroUsd ?? "0";
	const usd = (micro: string): string => dollars(BigInt(micro));
	const again = row.correction === null ? "" : ` It replaces version ${version - 1}: ${row.correction}`;
	return {
		title: `Statement of ${month} for ${owner}${version > 1 ? `, version ${version}` : ""}`,
		text: `${usd(content.totals.effectiveMicroUsd)} in total: ${usd(side("owned"))} owned hardware, ${usd(side("cloud"))} cloud.${again}${variances(content)}`,
		facts: { month, team, version, totalMicroUsd: content.totals.effectiveMicroUsd, sha256: row.sha256 },
		link: `/statements/${month}${team === "" ? "" : `?team=${encodeURIComponent(team)}`}`,
	};
}

function variances({ budgets }: StatementContent): string {
	const over = budgets.filter((b) => BigInt(b.varianceMicroUsd) > 0n);
	return over.length === 0 ? "" : ` Over budget: ${over.map((b) => `${b.id} by ${dollars(BigInt(b.varianceMicroUsd))}`).join(", ")}.`;
}

/** To the cent, rounded half away from zero. */
function dollars(microUsd: bigint): string {
	const abs = microUsd < 0n ? -microUsd : microUsd;
	const [whole = "0", cents = ""] = microToUsdText(((abs + 5_000n) / 10_000n) * 10_000n).split(".");
	return `${microUsd < 0n ? "-" : ""}$${whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",")}.${cents.padEnd(2, "0")}`;
}
