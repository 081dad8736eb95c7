import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { electricityPricesInput } from "#server/contract/inputs/rates.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import { electricityHoursOf, electricityPricesOf } from "#server/services/pricing/owned/electricity-hours.ts";
import { lockPool } from "../charge/meter-pools.ts";
import { requireWithinReach } from "./input.ts";
import { type PriceRow, readPriceFile } from "./price-file.ts";
import { type Corrected, correctSince } from "./set.ts";

export type ElectricityPricesInput = z.input<typeof electricityPricesInput>;

export interface ElectricityPricesSet extends Corrected {
	/** Start of the file's first hour, and end of its last. */
	from: string;
	to: string;
	/** Number of hours that had no price yet, a different price, and the same price. */
	added: number;
	replaced: number;
	unchanged: number;
}

/**
 * Imports the price of a kWh at a site for single hours. In these hours all its pools with a rate card pay this price instead
 * of the card's. Existing charges are corrected in the same transaction, by separate entries. Importing the same file again
 * changes nothing.
 * @throws SpillwayError `forbidden`, `not_found`, `invalid_input`, `precondition_failed` when too much would be corrected.
 */
export async function setElectricityPrices(
	ctx: ServiceContext,
	siteId: string,
	raw: ElectricityPricesInput,
): Promise<ElectricityPricesSet> {
	authorize(ctx, "rates:change", null);
	const { text, message } = electricityPricesInput.parse(raw);
	const rows = await offLoop(ctx, "electricity.read", readPriceFile, text);
	const nowMs = ctx.clock.nowMs();
	const [fromMs, toMs] = [defined(rows[0], "an hour").hourMs, defined(rows.at(-1), "an hour").hourMs + HOUR_MS];
	requireWithinReach(fromMs, toMs, nowMs);
	const cacheKey: object = ctx.db;
	return ctx.db.transaction(async (tx) => {
		const pools = await lockPools(tx, siteId);
		const known = await electricityPricesOf(tx, siteId, { fromMs, toMs });
		const changed = rows.filter(({ hourMs, microUsdPerKwh }) => known.get(hourMs) !== microUsdPerKwh);
		await writePrices(tx, siteId, changed, { source: message, nowMs });
		const corrected = { corrections: 0, correctedMicroUsd: 0n };
		const [first] = changed;
		for (const { key, before } of first === undefined ? [] : pools) {
			const hoursBefore = (hours: ReadonlyMap<number, bigint>) => revert(hours, changed, known);
			const of = await correctSince(tx, { key, before, sinceMs: defined(first, "a change").hourMs, nowMs, cacheKey, hoursBefore });
			corrected.corrections += of.corrections;
			corrected.correctedMicroUsd += BigInt(of.correctedMicroUsd);
		}
		const replaced = changed.filter(({ hourMs }) => known.has(hourMs)).length;
		const done = {
			...{ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() },
			...{ added: changed.length - replaced, replaced, unchanged: rows.length - changed.length },
			...{ corrections: corrected.corrections, correctedMicroUsd: corrected.correctedMicroUsd.toString() },
		};
		await writeAudit(tx, ctx, { action: "electricity.import", subject: siteId, after: { message, ...done } });
		await notify(tx, { changes: [{ topic: "spend", id: null, team: null }] });
		return done;
	});
}

/** All pools of the site, locked, so that no meter charges an hour while its price changes. */
async function lockPools(tx: Tx, siteId: string) {
	const ids = await tx
		.select({ poolId: pool.id })
		.from(pool)
		.innerJoin(site, and(eq(site.id, pool.siteId), isNull(site.removedAt)))
		.where(eq(pool.siteId, siteId))
		.orderBy(asc(pool.id));
	if (ids.length === 0)
		throw new SpillwayError("not_found", `There is no site "${siteId.slice(0, 64)}" with pools of owned hardware.`, {
			fix: "List sites with: spillway sites",
		});
	const locked: { key: { siteId: string; poolId: string }; before: NonNullable<Awaited<ReturnType<typeof lockPool>>> }[] = [];
	for (const { poolId } of ids) {
		const key = { siteId, poolId };
		locked.push({ key, before: defined(await lockPool(tx, key), "a pool") });
	}
	return locked;
}

async function writePrices(tx: Tx, siteId: string, rows: readonly PriceRow[], of: { source: string; nowMs: number }): Promise<void> {
	if (rows.length === 0) return;
	const json = JSON.stringify(rows.map((row) => ({ h: new Date(row.hourMs).toISOString(), p: row.microUsdPerKwh.toString() })));
	await tx.execute(sql`
		insert into electricity_price (site_id, hour, micro_usd_per_kwh, source, observed_at)
		select ${siteId}, h, p, ${of.source}, ${new Date(of.nowMs).toISOString()}::timestamptz
		from jsonb_to_recordset(${json}::jsonb) as g(h timestamptz, p bigint)
		on conflict (site_id, hour) do update
			set micro_usd_per_kwh = excluded.micro_usd_per_kwh, source = excluded.source, observed_at = excluded.observed_at`);
}

/** The hours before the change. */
function revert(
	hours: ReadonlyMap<number, bigint>,
	changed: readonly PriceRow[],
	known: ReadonlyMap<number, bigint>,
): ReadonlyMap<number, bigint> {
	const before = new Map(hours);
	for (const { hourMs } of changed) {
		const price = known.get(hourMs);
		if (price === undefined) before.delete(hourMs);
		else before.set(hourMs, price);
	}
	return before;
}

/** An hour with its own price, to show what was paid. */
export interface ElectricityHour {
	from: string;
	usdPerKwh: string;
	source: string;
}

const HOURS_MAX = 10_000;

/** @throws SpillwayError `forbidden`, `invalid_input` for more than a year. */
export async function listElectricityPrices(
	ctx: Pick<ServiceContext, "actor" | "db">,
	siteId: string,
	{ fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<ElectricityHour[]> {
	authorize(ctx, "rates:read", null);
	if (!(fromMs < toMs) || (toMs - fromMs) / HOUR_MS > HOURS_MAX)
		throw new SpillwayError("invalid_input", `"from" must be before "to", at most ${HOURS_MAX} hours apart.`, {
			fields: [{ path: "from", message: `before "to", at most ${HOURS_MAX} hours` }],
		});
	const hours = await electricityHoursOf(ctx.db, siteId, { fromMs, toMs });
	return [...hours].map(([hourMs, { microUsdPerKwh, source }]) => ({
		from: new Date(hourMs).toISOString(),
		usdPerKwh: signedUsd(microUsdPerKwh),
		source,
	}));
}

const signedUsd = (micro: bigint): string => (micro < 0n ? `-${microToUsdText(-micro)}` : microToUsdText(micro));
