import type { z } from "zod";
import { changePolicySettingsInput } from "#server/contract/inputs/policy.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { changeSecondPerson, needsSecondPerson } from "./second-person.ts";

export interface PolicySettings {
	/** Publishing and rolling back wait for the yes of another person. */
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
 * Asks for a second person, or does without again; that waits for another platform engineer where there is one.
 * Answers what holds now. Both are in the audit.
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
