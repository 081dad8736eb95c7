import { eq } from "drizzle-orm";
import type { EnrollRequest, WaitingAnswer } from "#server/agent/protocol.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { instance } from "#server/db/schema/instance.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { checkIdentity } from "./check-identity.ts";
import type { AgentContext } from "./context.ts";
import { isSecretValid, wrongSecret } from "./enroll.ts";
import { orderPreparation } from "./prepared.ts";

/**
 * The agent of a machine that is kept warm reports that it is up and has no job. The machine becomes `ready`; its secret is not spent.
 * Once the scheduler has assigned a job, the answer says so, and the agent enrolls for that attempt, once.
 * @throws SpillwayError `unauthenticated` and `unavailable` as enrollAgent does; `conflict` for a machine that is no longer wanted.
 */
export async function awaitJob(ctx: AgentContext, input: EnrollRequest): Promise<WaitingAnswer> {
	if (!isSecretValid(ctx, input)) throw wrongSecret();
	await checkIdentity(ctx, input);
	const nowMs = ctx.clock.nowMs();
	const waiting = await ctx.db.transaction(async (tx) => {
		const [row] = await tx.select().from(instance).where(eq(instance.id, input.instanceId)).for("update");
		if (!row || row.warmUntil === null) throw wrongSecret();
		if (row.attemptId !== null) return null;
		const isOther = row.providerInstanceId !== null && row.providerInstanceId !== input.providerInstanceId;
		const isWanted = row.state === "requested" || row.state === "provisioning" || row.state === "ready";
		if (isOther || !isWanted || row.warmUntil.getTime() <= nowMs) {
			throw new SpillwayError("conflict", `Instance ${row.id} is no longer kept warm.`, { fix: "Power the machine off." });
		}
		await recordWaiting(tx, row, { ...input, nowMs });
		return row;
	});
	return { assigned: waiting === null, pollMs: ctx.timing.heartbeatMs, prepare: waiting && (await orderPreparation(ctx, waiting)) };
}

async function recordWaiting(
	tx: Tx,
	row: typeof instance.$inferSelect,
	{ providerInstanceId, privateAddress, nowMs }: Pick<EnrollRequest, "providerInstanceId" | "privateAddress"> & { nowMs: number },
): Promise<void> {
	const at = new Date(nowMs);
	const isRow = eq(instance.id, row.id);
	if (row.state === "ready") {
		await tx.update(instance).set({ lastHeardAt: at }).where(isRow);
		return;
	}
	if (row.state === "requested") await tx.update(instance).set({ state: "provisioning", providerInstanceId }).where(isRow);
	await tx
		.update(instance)
		.set({ state: "ready", readyAt: at, lastHeardAt: at, privateAddress: row.privateAddress ?? privateAddress ?? null })
		.where(isRow);
	await notify(tx, { wake: true, changes: [{ topic: "instance", id: row.id, team: null }] });
}
