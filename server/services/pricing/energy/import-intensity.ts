import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { importIntensityInput } from "#server/contract/inputs/carbon.ts";
import type { Tx } from "#server/db/client.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import { type IntensityRow, readIntensityFile } from "./intensity-file.ts";

export type ImportIntensityInput = z.infer<typeof importIntensityInput>;

export interface ImportedIntensity {
	zones: { zone: string; hours: number; fromMs: number; toMs: number }[];
	/** Hours that had no value yet. */
	added: number;
	/** Future hours with a replaced value. */
	replaced: number;
	/** Started hours with a different value, which is kept because charges may have used it. */
	kept: number;
	/** Hours that already had the same value. */
	unchanged: number;
	/** Always shown to the importer. */
	note: string;
}

const NOTE =
	"Charges that are already written keep the intensity they were written with. These figures count for what is metered from now on.";
const INSERT_ROWS = 5_000;

/**
 * Imports the grid's hourly intensities. Charges are not rewritten: an hour applies to metering after its import. A started
 * hour keeps its value, so that one hour never uses two values; a future hour (a forecast) may be replaced. Importing the
 * same file twice changes nothing.
 * @throws SpillwayError `invalid_input`, `forbidden`.
 */
export async function importIntensity(ctx: ServiceContext, input: ImportIntensityInput): Promise<ImportedIntensity> {
	authorize(ctx, "rates:change", null);
	const rows = await offLoop(ctx, "intensity.read", readIntensity, { text: input.text, zone: input.zone });
	const nowMs = ctx.clock.nowMs();
	return ctx.db.transaction(async (tx) => {
		const sums = await writeIntensities(tx, rows, input.source, nowMs);
		const zones = [...Map.groupBy(rows, (row) => row.zone)].map(([zone, of]) => ({ zone, ...spanOf(of) }));
		await writeAudit(tx, ctx, { action: "carbon.import", subject: "grid_intensity", after: { source: input.source, zones, ...sums } });
		return { zones, ...sums, note: NOTE };
	});
}

/** Runs in a worker thread. @throws SpillwayError `invalid_input` */
export function readIntensity({ text, zone }: Pick<ImportIntensityInput, "text" | "zone">): IntensityRow[] {
	return readIntensityFile(text, zone);
}

type Sums = Omit<ImportedIntensity, "zones" | "note">;

/** Stores hours from a source that is read automatically, without an audit log entry per read. */
export async function writeIntensities(tx: Tx, rows: readonly IntensityRow[], source: string, nowMs: number): Promise<Sums> {
	// Without this lock, two sources with the same hours in different orders would deadlock.
	await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('grid intensities', 0))`);
	const sums = { added: 0, replaced: 0, kept: 0, unchanged: 0 };
	for (let at = 0; at < rows.length; at += INSERT_ROWS) {
		const part = await upsert(tx, rows.slice(at, at + INSERT_ROWS), source, nowMs);
		for (const name of ["added", "replaced", "kept", "unchanged"] as const) sums[name] += part[name];
	}
	return sums;
}

function spanOf(rows: readonly IntensityRow[]): { hours: number; fromMs: number; toMs: number } {
	const hours = rows.map((row) => row.hourMs);
	const edge = (pick: (a: number, b: number) => number): number => hours.reduce((a, b) => pick(a, b), hours[0] ?? 0);
	return { hours: hours.length, fromMs: edge(Math.min), toMs: edge(Math.max) + 3_600_000 };
}

async function upsert(tx: Tx, rows: readonly IntensityRow[], source: string, nowMs: number): Promise<Sums> {
	const json = JSON.stringify(rows.map((row) => ({ zone: row.zone, hour: new Date(row.hourMs).toISOString(), mg: row.milligramsPerKwh })));
	const now = new Date(nowMs).toISOString();
	const [counts] = await tx.execute<{ added: string; replaced: string; same: string }>(sql`
		with given as (
			select zone, hour, mg from jsonb_to_recordset(${json}::jsonb) as g(zone text, hour timestamptz, mg int)
		), before as (
			select given.*, known.milligrams_per_kwh as known_mg from given left join grid_intensity known using (zone, hour)
		), written as (
			insert into grid_intensity (zone, hour, milligrams_per_kwh, source, observed_at)
			select zone, hour, mg, ${source}, ${now}::timestamptz from given order by zone, hour
			on conflict (zone, hour) do update set milligrams_per_kwh = excluded.milligrams_per_kwh, source = excluded.source, observed_at = excluded.observed_at
				where grid_intensity.hour > ${now}::timestamptz and grid_intensity.milligrams_per_kwh <> excluded.milligrams_per_kwh
			returning zone, hour
		)
		select count(*) filter (where known_mg is null) as added,
			count(*) filter (where known_mg is not null and written.zone is not null) as replaced,
			count(*) filter (where known_mg = mg) as same
		from before left join written using (zone, hour)`);
	const [added, replaced, unchanged] = [Number(counts?.added ?? 0), Number(counts?.replaced ?? 0), Number(counts?.same ?? 0)];
	return { added, replaced, unchanged, kept: rows.length - added - replaced - unchanged };
}
