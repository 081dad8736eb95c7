import { eq } from "drizzle-orm";
import type { z } from "zod";
import { reportingCurrencyInput } from "#server/contract/inputs/currency.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { setting } from "#server/db/schema/setting.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { lockSetting, writeSetting } from "#server/services/core/setting.ts";
import { ratedCurrencies } from "./rates.ts";

const KEY = "reporting_currency";
/** The ledger's currency. */
export const LEDGER_CURRENCY = "USD";

/** The currency of the company's reports. */
export async function reportingCurrency(db: DbOrTx): Promise<string> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, KEY));
	return typeof row?.value === "string" ? row.value : LEDGER_CURRENCY;
}

/** @throws SpillwayError `forbidden` */
export async function getReportingCurrency(ctx: Pick<ServiceContext, "actor" | "db">) {
	teamScope(ctx, "spend:read");
	const [currency, currencies] = await Promise.all([reportingCurrency(ctx.db), ratedCurrencies(ctx.db)]);
	return { currency, currencies };
}

/** @throws SpillwayError `forbidden`; `conflict` for a currency without any rate; ZodError */
export async function setReportingCurrency(
	ctx: ServiceContext,
	raw: z.input<typeof reportingCurrencyInput>,
): Promise<{ currency: string }> {
	authorize(ctx, "rates:change", null);
	const { currency } = reportingCurrencyInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		if (currency !== LEDGER_CURRENCY && !(await ratedCurrencies(tx)).some((known) => known.currency === currency))
			throw new SpillwayError("conflict", `There are no exchange rates for ${currency}.`, {
				fields: [{ path: "currency", message: `has no exchange rates: ${currency}` }],
				fix: "Import rates first: spillway currency import FILE --message SOURCE",
			});
		await lockSetting(tx, KEY);
		const before = await reportingCurrency(tx);
		if (before === currency) return { currency };
		await writeSetting(tx, KEY, currency);
		await writeAudit(tx, ctx, { action: "currency.set", subject: "company", before: { currency: before }, after: { currency } });
		await notify(tx, { changes: [{ topic: "spend", id: null, team: null }] });
		return { currency };
	});
}
