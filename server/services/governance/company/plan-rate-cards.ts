import { asc } from "drizzle-orm";
import { pool, site } from "#server/db/schema/site.ts";
import type { CompanySpec } from "#server/domain/company-schema.ts";
import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { effectiveFromMs, instantOf, validateCard } from "#server/services/ledger/rate-card/input.ts";
import { setRateCard } from "#server/services/ledger/rate-card/set.ts";
import { cardsOfPool } from "#server/services/pricing/owned/pool-cards.ts";
import { type Change, type CompanyContext, differences, type PlanPart } from "./change.ts";

type RateCard = NonNullable<CompanySpec["rateCards"]>[number];

/** Cards that are not in the file stay, also with `--prune`: charges refer to them. `siteIds`: sites of the file. */
export async function planRateCards(ctx: CompanyContext, wanted: readonly RateCard[], siteIds: readonly string[]): Promise<PlanPart> {
	authorize(ctx, "rates:read", null);
	const pools = await ctx.db.select({ siteId: pool.siteId, poolId: pool.id }).from(pool).orderBy(asc(pool.siteId), asc(pool.id));
	const sites = new Set([...siteIds, ...(await ctx.db.select({ id: site.id }).from(site)).map(({ id }) => id)]);
	const part: PlanPart = { changes: [], skipped: [], problems: [] };
	for (const [index, entry] of wanted.entries()) {
		const at = ["spec", "rateCards", index];
		const [siteId = "", poolId = ""] = entry.pool.split("/");
		const wrong = problemsOf(entry);
		if (!sites.has(siteId)) part.problems.push({ at: [...at, "pool"], message: `There is no site "${siteId}". Add it under sites.` });
		else if (wrong.length > 0) part.problems.push(...wrong.map(({ path, message }) => ({ at: [...at, ...path.split(".")], message })));
		else if (!pools.some((known) => known.siteId === siteId && known.poolId === poolId))
			part.skipped.push(`rate card of ${entry.pool}: the pool is not in use yet; apply again once it has a price`);
		else {
			const planned = await planCard(ctx, { siteId, poolId }, entry);
			if ("apply" in planned) part.changes.push(planned);
			else part.problems.push(...planned.problems.map((message) => ({ at: [...at, "effectiveFrom"], message })));
		}
	}
	return part;
}

function problemsOf({ card }: RateCard): readonly { path: string; message: string }[] {
	try {
		validateCard(card);
		return [];
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return error.fields;
	}
}

/** A dated card is compared with the card of that instant, one without a date with the card in force. */
async function planCard(
	ctx: CompanyContext,
	key: { siteId: string; poolId: string },
	entry: RateCard,
): Promise<Change | { problems: string[] }> {
	const { effectiveFrom, message, card } = entry;
	const cards = await cardsOfPool(ctx.db, key);
	const calendar = await ledgerCalendar(ctx.db);
	const nowMs = ctx.clock.nowMs();
	const fromMs = effectiveFrom === undefined ? nowMs : instantOf(effectiveFrom, calendar);
	const before = cards.findLast((known) =>
		effectiveFrom === undefined ? known.effectiveFromMs <= fromMs : known.effectiveFromMs === fromMs,
	);
	const fields = cardDifferences(before?.card ?? null, card);
	if (fields.length === 0) return { problems: [] };
	try {
		effectiveFromMs(effectiveFrom, calendar, nowMs);
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return { problems: error.fields.map((field) => field.message) };
	}
	const id = effectiveFrom === undefined ? entry.pool : `${entry.pool} from ${effectiveFrom}`;
	const set = { message, card, ...(effectiveFrom !== undefined && { effectiveFrom }) };
	return { kind: "rate_card", id, action: before ? "update" : "create", fields, apply: (at) => setRateCard(at, key, set) };
}

/** Field by field. Measured watts replaced the card's estimate, and are no difference. */
function cardDifferences(before: OwnedRateCard | null, after: OwnedRateCard): Change["fields"] {
	const { measured, ...power } = before?.power ?? {};
	const { busyWattsPerGpu, idleWattsPerGpu } = after.power;
	const known = before && { ...before, power: { ...power, ...(measured && { busyWattsPerGpu, idleWattsPerGpu }) } };
	const [old, next] = [known ? flatten(known) : null, flatten(after)];
	const removed = Object.fromEntries(Object.keys(old ?? {}).map((field) => [field, null]));
	return differences(old, { ...removed, ...next });
}

/** `power.pue`, and `assets.ID.priceUsd` by the asset's id. */
function flatten(card: object, prefix = ""): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(card).flatMap(([key, value]: [string, unknown]) => {
			if (key === "assets" && Array.isArray(value))
				return Object.entries(flatten(Object.fromEntries(value.map((one) => [one.id, one])), "assets."));
			const isGroup = typeof value === "object" && value !== null && !Array.isArray(value);
			return isGroup ? Object.entries(flatten(value, `${prefix}${key}.`)) : [[`${prefix}${key}`, value]];
		}),
	);
}
