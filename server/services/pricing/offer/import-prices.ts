import { sql } from "drizzle-orm";
import type { z } from "zod";
import { importPricesInput } from "#server/contract/inputs/capacity.ts";
import type { Db, Tx } from "#server/db/client.ts";
import { importedPrice } from "#server/db/schema/imported-price.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import { type PriceRow, readListPrices } from "./list-price-file.ts";

export interface ImportedPrices {
	providers: string[];
	/** Days of the oldest and the newest price. */
	from: string;
	to: string;
	/** Prices of machines that had no imported price, another one, and the same. */
	added: number;
	replaced: number;
	unchanged: number;
	/** Older than the price that was imported before, which stays. */
	older: number;
	/** Lines about machines that Spillway has no data of. */
	ignored: number;
}

const BATCH_ROWS = 5_000;

/**
 * Imports list prices. The scheduler uses them over the shipped prices within minutes, unless it can read the provider's live list. Importing
 * the same file again changes nothing.
 * @throws SpillwayError `forbidden`, `invalid_input`; ZodError
 */
export async function importPrices(ctx: ServiceContext, raw: z.input<typeof importPricesInput>): Promise<ImportedPrices> {
	authorize(ctx, "rates:change", null);
	const { text, message } = importPricesInput.parse(raw);
	const { rows, ignored } = await offLoop(ctx, "prices.read", readListPrices, text);
	const days = rows.map(({ asOf }) => asOf).sort();
	const [from = "", to = ""] = [days[0], days.at(-1)];
	rejectFuture(to, ctx.clock.nowMs());
	return ctx.db.transaction(async (tx) => {
		// Without this lock, two files with the same prices in different orders would deadlock.
		await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('list prices', 0))`);
		const sums = { added: 0, replaced: 0, unchanged: 0, older: 0 };
		for (let at = 0; at < rows.length; at += BATCH_ROWS) {
			const part = await writePrices(tx, ctx, rows.slice(at, at + BATCH_ROWS), message);
			for (const name of ["added", "replaced", "unchanged", "older"] as const) sums[name] += part[name];
		}
		const done = { providers: [...new Set(rows.map(({ provider }) => provider))].sort(), from, to, ...sums, ignored };
		await writeAudit(tx, ctx, { action: "prices.import", subject: "imported_price", after: { source: message, ...done } });
		return done;
	});
}

/** A day ahead is a time zone difference; further ahead is a mistake. */
function rejectFuture(day: string, nowMs: number): void {
	if (day <= new Date(nowMs + DAY_MS).toISOString().slice(0, 10)) return;
	const what = `it has a price of ${day}, which is in the future`;
	throw new SpillwayError("invalid_input", `Could not read the prices: ${what}.`, {
		fields: [{ path: "text", message: what }],
		fix: "Import only published prices.",
	});
}

async function writePrices(tx: Tx, ctx: ServiceContext, rows: readonly PriceRow[], source: string) {
	const [by, at] = [actorName(ctx.actor), new Date(ctx.clock.nowMs()).toISOString()];
	const json = JSON.stringify(rows.map((row) => ({ ...row, microUsdPerHour: String(row.microUsdPerHour) })));
	const [sums] = await tx.execute<{ added: number; replaced: number; unchanged: number; older: number }>(sql`
		with given as (
			select g.provider::provider, g."instanceType" as instance_type, g.region, g."capacityType"::capacity_type as capacity_type,
				g."asOf" as as_of, g."microUsdPerHour" as price
			from jsonb_to_recordset(${json}::jsonb) as g(
				provider text, "instanceType" text, region text, "capacityType" text, "asOf" date, "microUsdPerHour" bigint)
		), compared as (
			select given.*, case
				when known.as_of is null then 'added'
				when known.as_of > given.as_of then 'older'
				when (known.as_of, known.micro_usd_per_hour) = (given.as_of, given.price) then 'unchanged'
				else 'replaced' end as outcome
			from given left join imported_price known using (provider, instance_type, region, capacity_type)
		), written as (
			insert into imported_price (provider, instance_type, region, capacity_type, as_of, micro_usd_per_hour, source, imported_by, imported_at)
			select provider, instance_type, region, capacity_type, as_of, price, ${source}, ${by}, ${at}::timestamptz
			from compared where outcome in ('added', 'replaced')
			on conflict (provider, instance_type, region, capacity_type) do update
				set as_of = excluded.as_of, micro_usd_per_hour = excluded.micro_usd_per_hour, source = excluded.source,
					imported_by = excluded.imported_by, imported_at = excluded.imported_at
		)
		select count(*) filter (where outcome = 'added')::int as added, count(*) filter (where outcome = 'replaced')::int as replaced,
			count(*) filter (where outcome = 'unchanged')::int as unchanged, count(*) filter (where outcome = 'older')::int as older
		from compared`);
	return sums ?? { added: 0, replaced: 0, unchanged: 0, older: 0 };
}

export interface PriceSnapshot {
	source: string;
	provider: string;
	prices: number;
	from: string;
	to: string;
	importedBy: string;
	importedAt: Date;
}

const SNAPSHOTS_MAX = 50;

/** Imports with prices in use, newest first. @throws SpillwayError `forbidden` */
export async function listPriceSnapshots(ctx: Pick<ServiceContext, "actor" | "db">): Promise<PriceSnapshot[]> {
	authorize(ctx, "rates:read", null);
	const { provider, source, importedBy, importedAt, asOf } = importedPrice;
	return ctx.db
		.select({
			...{ source, provider, importedBy, importedAt },
			prices: sql<number>`count(*)::int`,
			from: sql<string>`min(${asOf})::text`,
			to: sql<string>`max(${asOf})::text`,
		})
		.from(importedPrice)
		.groupBy(source, provider, importedBy, importedAt)
		.orderBy(sql`${importedAt} desc, ${provider}`)
		.limit(SNAPSHOTS_MAX);
}

export type StoredPrice = typeof importedPrice.$inferSelect & Pick<PriceRow, "capacityType">;

/** Every imported price, for the drivers; null if none was imported since `version`. */
export async function readImportedPrices(db: Db, version: string | null): Promise<{ version: string; prices: StoredPrice[] } | null> {
	const [latest] = await db.execute<{ version: string }>(
		sql`select count(*) || ' ' || coalesce(max(imported_at)::text, '') as version from imported_price`,
	);
	const current = latest?.version ?? "";
	if (current === version) return null;
	const rows = await db.select().from(importedPrice);
	return {
		version: current,
		prices: rows.filter((row): row is StoredPrice => row.capacityType === "on_demand" || row.capacityType === "spot"),
	};
}
