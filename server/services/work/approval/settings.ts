import { eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { setting } from "#server/db/schema/setting.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { lockSetting, writeSetting } from "#server/services/core/setting.ts";

const EXPIRY_HOURS = "approval_expiry_hours";
const DEFAULT_EXPIRY_HOURS = 72;
const expiryHours = z
	.number()
	.int()
	.min(1)
	.max(90 * 24);

export interface ApprovalSettings {
	/** After this many hours without an answer the request expires, and the job waits at home. */
	expiryHours: number;
}

export async function readApprovalSettings(db: DbOrTx): Promise<ApprovalSettings> {
	const [row] = await db.select().from(setting).where(eq(setting.key, EXPIRY_HOURS));
	return { expiryHours: expiryHours.catch(DEFAULT_EXPIRY_HOURS).parse(row?.value ?? DEFAULT_EXPIRY_HOURS) };
}

export async function expiryFrom(db: DbOrTx, nowMs: number): Promise<Date> {
	return new Date(nowMs + (await readApprovalSettings(db)).expiryHours * HOUR_MS);
}

export const changeApprovalSettingsInput = z.strictObject({ expiryHours });

/**
 * Sets how long an approval request stays open; requests already open keep their expiry.
 * @throws SpillwayError `forbidden`; ZodError.
 */
export async function changeApprovalSettings(
	ctx: ServiceContext,
	raw: z.input<typeof changeApprovalSettingsInput>,
): Promise<ApprovalSettings> {
	authorize(ctx, "policy:publish", null);
	const after = changeApprovalSettingsInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		await lockSetting(tx, EXPIRY_HOURS);
		const before = await readApprovalSettings(tx);
		await writeSetting(tx, EXPIRY_HOURS, after.expiryHours);
		await writeAudit(tx, ctx, { action: "approval.settings", subject: "approvals", before, after });
		await notify(tx, { changes: [{ topic: "approval", id: null, team: null }] });
		return after;
	});
}
