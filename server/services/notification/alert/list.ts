import { and, desc, eq, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { z } from "zod";
import { listAlertsInput } from "#server/contract/inputs/channel.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { alert, channel, delivery } from "#server/db/schema/alert.ts";
import type { AlertRule, DELIVERY_STATES } from "#server/domain/alert.ts";
import type { AlertFactValues } from "#server/domain/alert-facts.ts";
import { alertWords } from "#server/domain/alert-sentences.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { decodeCursor, encodeCursor } from "#server/services/core/cursor.ts";

export interface AlertView {
	id: string;
	rule: AlertRule;
	subject: string;
	team: string | null;
	title: string;
	text: string;
	facts: AlertFactValues;
	openedAt: string;
	closedAt: string | null;
	/** Names of the channels it was sent to. */
	sent: { channel: string; state: (typeof DELIVERY_STATES)[number] }[];
}

/** Alerts of the reader's teams and those that concern everyone, newest first. */
export async function listAlerts(
	ctx: ServiceContext,
	raw: z.input<typeof listAlertsInput>,
): Promise<{ items: AlertView[]; nextCursor: string | null }> {
	const mine = ownAlerts(ctx);
	const { state, rule, cursor, limit } = listAlertsInput.parse(raw);
	const at = cursor === undefined ? null : decodeCursor(cursor);
	const rows = await ctx.db
		.select()
		.from(alert)
		.where(
			and(
				mine,
				state === undefined ? undefined : state === "open" ? isNull(alert.closedAt) : isNotNull(alert.closedAt),
				rule === undefined ? undefined : eq(alert.rule, rule),
				at === null
					? undefined
					: or(lt(alert.openedAt, new Date(at.atMs)), and(eq(alert.openedAt, new Date(at.atMs)), sql`${alert.id} < ${at.id}`)),
			),
		)
		.orderBy(desc(alert.openedAt), desc(alert.id))
		.limit(limit + 1);
	const page = rows.slice(0, limit);
	const sent = await readSent(
		ctx.db,
		page.map((r) => r.id),
	);
	const last = page.at(-1);
	return {
		items: page.map(({ openedAt, closedAt, ...row }) => ({
			...{ ...row, ...alertWords(row.rule, row.facts) },
			...{ openedAt: openedAt.toISOString(), closedAt: closedAt?.toISOString() ?? null, sent: sent(row.id) },
		})),
		nextCursor: rows.length > limit && last ? encodeCursor(last.openedAt.getTime(), last.id) : null,
	};
}

export interface OpenAlerts {
	count: number;
	newest: { id: string; title: string } | null;
}

/** How many are open, and the newest of them, for the Overview. */
export async function countOpenAlerts(ctx: Pick<ServiceContext, "actor" | "db">): Promise<OpenAlerts> {
	const open = and(ownAlerts(ctx), isNull(alert.closedAt));
	const [count, [newest]] = await Promise.all([
		ctx.db.$count(alert, open),
		ctx.db.select().from(alert).where(open).orderBy(desc(alert.openedAt), desc(alert.id)).limit(1),
	]);
	return { count, newest: newest ? { id: newest.id, title: alertWords(newest.rule, newest.facts).title } : null };
}

function ownAlerts(ctx: Pick<ServiceContext, "actor">) {
	const teams = teamScope(ctx, "spend:read");
	if (teams === null) return undefined;
	return teams.length === 0 ? isNull(alert.team) : or(isNull(alert.team), inArray(alert.team, [...teams]));
}

async function readSent(db: DbOrTx, ids: readonly string[]): Promise<(id: string) => AlertView["sent"]> {
	if (ids.length === 0) return () => [];
	const rows = await db
		.select({ about: delivery.about, channel: channel.name, state: delivery.state })
		.from(delivery)
		.innerJoin(channel, eq(channel.id, delivery.channelId))
		.where(
			inArray(
				delivery.about,
				ids.map((id) => `alert:${id}`),
			),
		)
		.orderBy(channel.name);
	return (id) => rows.filter((r) => r.about === `alert:${id}`).map((r) => ({ channel: r.channel, state: r.state }));
}
