import { eq } from "drizzle-orm";
import type { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { setting } from "#server/db/schema/setting.ts";
import { writeAudit } from "../audit.ts";
import { authorize } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { changePolicySettingsInput } from "./input.ts";

const SECOND_PERSON = "policy_second_person";

export interface PolicySettings {
	/** Publishing and rolling back wait for the yes of another person. */
	secondPerson: boolean;
}

export async function readPolicySettings(db: DbOrTx): Promise<PolicySettings> {
	const [row] = await db.select().from(setting).where(eq(setting.key, SECOND_PERSON));
	return { secondPerson: row?.value === true };
}

export async function viewPolicySettings(ctx: ServiceContext): Promise<PolicySettings> {
	authorize(ctx, "policy:read", null);
	return readPolicySettings(ctx.db);
}

/** Asks for a second person, or does without again; both are in the audit. */
export async function changePolicySettings(ctx: ServiceContext, raw: z.input<typeof changePolicySettingsInput>): Promise<PolicySettings> {
	authorize(ctx, "policy:publish", null);
	const after = changePolicySettingsInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const before = await readPolicySettings(tx);
		if (before.secondPerson === after.secondPerson) return after;
		await tx
			.insert(setting)
			.values({ key: SECOND_PERSON, value: after.secondPerson })
			.onConflictDoUpdate({ target: setting.key, set: { value: after.secondPerson } });
		await writeAudit(tx, ctx, { action: "policy.settings", subject: "policies", before, after });
		await notify(tx, { changes: [{ topic: "policy", id: null, team: null }] });
		return after;
	});
}
