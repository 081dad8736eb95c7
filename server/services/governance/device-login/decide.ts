import { and, eq, gt, isNull } from "drizzle-orm";
import { z } from "zod";
import { deviceLogin } from "#server/db/schema/device-login.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { hashUserCode } from "./start.ts";

const userCode = z.string().trim().min(1).max(32);
export const deviceLoginInput = z.strictObject({ userCode });
export const decideDeviceLoginInput = z.strictObject({ userCode, answer: z.enum(["approved", "denied"]) });

export interface DeviceLoginView {
	clientName: string;
	/** Address from which it was started. */
	source: string | null;
	createdAt: string;
}

/**
 * The pending sign-in for this code. @throws SpillwayError `not_found`, also when it was answered or has expired; `forbidden` for tokens
 */
export async function getDeviceLogin(ctx: ServiceContext, raw: z.input<typeof deviceLoginInput>): Promise<DeviceLoginView> {
	requireSession(ctx);
	const [row] = await ctx.db
		.select()
		.from(deviceLogin)
		.where(waiting(ctx, deviceLoginInput.parse(raw).userCode));
	if (!row) throw missing();
	return { clientName: row.clientName, source: row.source, createdAt: row.createdAt.toISOString() };
}

/**
 * Approves or denies a pending sign-in as the signed-in person. The command then gets a token that acts as this person.
 * @throws SpillwayError as getDeviceLogin; ZodError
 */
export async function decideDeviceLogin(
	ctx: ServiceContext,
	raw: z.input<typeof decideDeviceLoginInput>,
): Promise<{ decision: "approved" | "denied" }> {
	const accountId = requireSession(ctx);
	const { userCode: code, answer } = decideDeviceLoginInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.update(deviceLogin)
			.set({ accountId, decision: answer, decidedAt: new Date(ctx.clock.nowMs()) })
			.where(waiting(ctx, code))
			.returning();
		if (!row) throw missing();
		const { clientName, source } = row;
		await writeAudit(tx, ctx, { action: `device_login.${answer}`, subject: row.id, after: { clientName, source } });
		return { decision: answer };
	});
}

function waiting(ctx: ServiceContext, code: string) {
	return and(
		eq(deviceLogin.userHash, hashUserCode(code)),
		isNull(deviceLogin.decision),
		gt(deviceLogin.expiresAt, new Date(ctx.clock.nowMs())),
	);
}

/** A token must not create more tokens this way. */
function requireSession(ctx: ServiceContext): string {
	authorize(ctx, "token:manage", null);
	if (ctx.actor.kind === "person" && ctx.actor.via === "session") return ctx.actor.accountId;
	throw new SpillwayError("forbidden", "Only a person who is signed in in the browser can approve a sign-in.");
}

function missing(): SpillwayError {
	return new SpillwayError("not_found", "No sign-in with this code is waiting.", {
		fix: "Codes expire after 10 minutes. Run spillway login again.",
	});
}
