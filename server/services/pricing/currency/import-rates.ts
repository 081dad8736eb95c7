import { sql } from "drizzle-orm";
import type { z } from "zod";
import { importRatesInput } from "#server/contract/inputs/currency.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import { type RateBatches, readRateBatches } from "./rate-batches.ts";

export interface ImportedRates {
	currencies: string[];
	/** Dates of the oldest and the newest rate. */
	from: string;
	to: string;
	/** Days of a currency that had no rate, a different rate, and the same rate. */
	added: number;
	replaced: number;
	unchanged: number;
}

/**
 * Imports exchange rates. Open reports use them immediately; closed statements keep the rates that they were closed with.
 * Importing the same file again changes nothing.
 * @throws SpillwayError `forbidden`, `invalid_input`; ZodError
 */
export async function importRates(ctx: ServiceContext, raw: z.input<typeof importRatesInput>): Promise<ImportedRates> {
	authorize(ctx, "rates:change", null);
	const { text, message } = importRatesInput.parse(raw);
	return saveRates(ctx, await offLoop(ctx, "rates.read", readRateBatches, text), message);
}

/** Stores rates that were already read. @throws SpillwayError `forbidden`, `invalid_input` */
export async function saveRates(ctx: ServiceContext, rates: RateBatches, source: string): Promise<ImportedRates> {
	authorize(ctx, "rates:change", null);
	const { currencies, from, to, batches } = rates;
	rejectFuture(to, ctx.clock.nowMs());
	return ctx.db.transaction(async (tx) => {
		// Without this lock, two files with the same days in different orders would deadlock.
		await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('exchange rates', 0))`);
		const sums = { added: 0, replaced: 0, unchanged: 0 };
		for (const batch of batches) {
			const part = await writeRates(tx, ctx, batch, source);
			sums.added += part.added;
			sums.replaced += part.replaced;
			sums.unchanged += part.unchanged;
		}
		const done = { currencies, from, to, ...sums };
		await writeAudit(tx, ctx, { action: "exchange_rates.import", subject: "exchange_rates", after: { source, ...done } });
		await notify(tx, { changes: [{ topic: "spend", id: null, team: null }] });
		return done;
	});
}

/** Rates are facts. A date one day ahead is a time zone difference; further ahead is a mistake. */
function rejectFuture(date: string, nowMs: number): void {
	const last = new Date(nowMs + DAY_MS).toISOString().slice(0, 10);
	if (date <= last) return;
	const what = `it has a rate of ${date}, which is in the future`;
	throw new SpillwayError("invalid_input", `Could not read the exchange rates: ${what}.`, {
		fields: [{ path: "text", message: what }],
		fix: "Import only published rates.",
	});
}

async function writeRates(tx: Tx, ctx: ServiceContext, { rows, json }: RateBatches["batches"][number], source: string) {
	const [by, at] = [actorName(ctx.actor), new Date(ctx.clock.nowMs()).toISOString()];
	const written = await tx.execute<{ fresh: boolean }>(sql`
		insert into exchange_rate as known (currency, date, units, usd, source, imported_by, imported_at)
		select currency, date, units, usd, ${source}, ${by}, ${at}::timestamptz
		from jsonb_to_recordset(${json}::jsonb) as given(currency text, date date, units numeric, usd numeric)
		on conflict (currency, date) do update
			set units = excluded.units, usd = excluded.usd, source = excluded.source,
				imported_by = excluded.imported_by, imported_at = excluded.imported_at
			where (known.units, known.usd) is distinct from (excluded.units, excluded.usd)
		returning known.xmax = 0 as fresh`);
	const added = [...written].filter(({ fresh }) => fresh).length;
	return { added, replaced: written.length - added, unchanged: rows - written.length };
}
