import type { z } from "zod";
import { changePolicySettingsInput } from "#server/contract/inputs/policy.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { changeSecondPerson, needsSecondPerson } from "./second-person.ts";

export interface PolicySettings {
	/** Whether publishing and rolling back require approval by another person. */
	secondPerson: boolean;
}

export async function readPolicySettings(db: DbOrTx): Promise<PolicySettings> {
	return { secondPerson: await needsSecondPerson(db, "policies") };
}

export async function viewPolicySettings(ctx: ServiceContext): Promise<PolicySettings> {
	authorize(ctx, "policy:read", null);
	return readPolicySettings(ctx.db);
}

/**
 * Requires a second person, or drops the requirement; dropping waits for another platform engineer if there is one. Returns the
 * settings in effect. Both are in the audit log.
 */
export async function changePolicySettings(
	ctx: ServiceContext,
	raw: z.input<typeof changePolicySettingsInput>,
): Promise<PolicySettings & { proposalId: string | null }> {
	authorize(ctx, "policy:publish", null);
	const { secondPerson } = changePolicySettingsInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const proposalId = await changeSecondPerson(tx, ctx, "policies", secondPerson);
		return { ...(await readPolicySettings(tx)), proposalId };
	});
}
