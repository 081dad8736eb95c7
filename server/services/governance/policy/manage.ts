import { eq } from "drizzle-orm";
import type { z } from "zod";
import { nameInput } from "#server/contract/inputs/policy.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { policy } from "#server/db/schema/policy.ts";
import type { PolicyManagedBy, PolicyOrigin } from "#server/domain/policy-version.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { knownPointer, type PointerRow } from "#server/services/policy/fetch-version.ts";
import { lockPolicy } from "./write-version.ts";

/**
 * Marks the policy as managed from git: from now on it can be changed only there. No effect when that is already so, or when `origin` is
 * not git.
 */
export async function keepInGit(tx: Tx, ctx: ServiceContext, pointer: PointerRow, origin: PolicyOrigin | null): Promise<void> {
	if (origin?.kind !== "git" || pointer.managedBy) return;
	await setManagedBy(tx, ctx, pointer, { kind: "git", repository: origin.repository, path: origin.path });
}

/** Ends management from git: the policy can be edited here again. The next `apply --git` would put it back under git. */
export async function unmanagePolicy(
	ctx: ServiceContext,
	raw: z.input<typeof nameInput>,
): Promise<{ wasManagedBy: PolicyManagedBy | null }> {
	authorize(ctx, "policy:publish", null);
	const { name } = nameInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		await lockPolicy(tx, name);
		const pointer = await knownPointer(tx, name);
		const wasManagedBy = pointer.managedBy ?? null;
		if (wasManagedBy) await setManagedBy(tx, ctx, pointer, null);
		return { wasManagedBy };
	});
}

async function setManagedBy(tx: Tx, ctx: ServiceContext, pointer: PointerRow, managedBy: PolicyManagedBy | null): Promise<void> {
	await tx.update(policy).set({ managedBy }).where(eq(policy.name, pointer.name));
	await writeAudit(tx, ctx, {
		...{ action: managedBy ? "policy.manage" : "policy.unmanage", subject: pointer.name },
		...{ before: { managedBy: pointer.managedBy ?? null }, after: { managedBy } },
	});
	await notify(tx, { changes: [{ topic: "policy", id: pointer.name, team: null }] });
}
