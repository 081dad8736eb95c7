import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { deviceLogin } from "#server/db/schema/device-login.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { writeAccountAudit } from "#server/services/core/audit.ts";
import { issueToken } from "../token/issue.ts";
import { hashCode } from "./start.ts";

const TOKEN_DAYS = 30;

export const redeemDeviceLoginInput = z.strictObject({ deviceCode: z.string().min(1).max(128) });

export type RedeemedDeviceLogin =
	| { status: "pending" | "denied" | "expired" }
	| { status: "approved"; id: string; token: string; expiresAt: string; name: string };

/**
 * Returns the approved token, once. It acts as the person who approved, for 30 days. Unknown, used and old codes are `expired`.
 * @throws ZodError
 */
export async function redeemDeviceLogin(
	db: Db,
	raw: z.input<typeof redeemDeviceLoginInput>,
	at: { nowMs: number; source: string | null },
): Promise<RedeemedDeviceLogin> {
	const { deviceCode } = redeemDeviceLoginInput.parse(raw);
	return db.transaction(async (tx) => {
		const [row] = await tx
			.select()
			.from(deviceLogin)
			.where(eq(deviceLogin.deviceHash, hashCode(deviceCode)))
			.for("update");
		if (!row || row.redeemedAt !== null || row.expiresAt.getTime() <= at.nowMs) return { status: "expired" };
		if (row.decision === null || row.accountId === null) return { status: "pending" };
		if (row.decision === "denied") return { status: "denied" };
		const [owner] = await tx
			.select({ name: account.name, disabledAt: account.disabledAt })
			.from(account)
			.where(eq(account.id, row.accountId));
		if (!owner || owner.disabledAt !== null) return { status: "denied" };
		const expiresAtMs = at.nowMs + TOKEN_DAYS * DAY_MS;
		const name = `Sign-in from ${row.clientName}`.slice(0, 100);
		const made = await issueToken(tx, { accountId: row.accountId, name, nowMs: at.nowMs, expiresAtMs });
		await tx
			.update(deviceLogin)
			.set({ redeemedAt: new Date(at.nowMs) })
			.where(eq(deviceLogin.id, row.id));
		const expiresAt = new Date(expiresAtMs).toISOString();
		await writeAccountAudit(tx, {
			accountId: row.accountId,
			action: "token.create",
			after: { id: made.id, name, by: row.id, expiresAt },
			...at,
		});
		return { status: "approved", ...made, expiresAt, name: owner.name };
	});
}
