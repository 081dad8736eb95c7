import { eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { setting } from "#server/db/schema/setting.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { lockSetting, writeSetting } from "#server/services/core/setting.ts";

/** Setting: the day of the month on which the previous month is closed and sent. Limited to days that every month has. */
const DAY_SETTING = "statement_day";
const DAY_DEFAULT = 3;
const daySchema = z.number().int().min(1, "must be a day from 1 to 28").max(28, "must be a day from 1 to 28: every month has those");

export async function closingDay(db: DbOrTx): Promise<number> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, DAY_SETTING));
	const day = daySchema.safeParse(row?.value);
	return day.success ? day.data : DAY_DEFAULT;
}

export const changeClosingDayInput = z.strictObject({ day: daySchema });

/**
 * Sets the day on which the previous month is closed automatically and sent. A day already past in this month takes effect
 * immediately: the next check closes an open month.
 * @throws SpillwayError `forbidden`; ZodError.
 */
export async function changeClosingDay(ctx: ServiceContext, raw: z.input<typeof changeClosingDayInput>): Promise<{ day: number }> {
	authorize(ctx, "statement:close", null);
	const { day } = changeClosingDayInput.parse(raw);
	await ctx.db.transaction(async (tx) => {
		await lockSetting(tx, DAY_SETTING);
		const before = await closingDay(tx);
		if (before === day) return;
		await writeSetting(tx, DAY_SETTING, day);
		await writeAudit(tx, ctx, { action: "statement.day", subject: "statements", before: { day: before }, after: { day } });
		await notify(tx, { changes: [{ topic: "statement", id: null, team: null }] });
	});
	return { day };
}
