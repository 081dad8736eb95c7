import { eq } from "drizzle-orm";
import { policy } from "#server/db/schema/policy.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { demoPolicy } from "#server/policy/demo-policy.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";

export async function seedPolicy(
	ctx: ServiceContext,
	source = demoPolicy(),
	message = "The demo's rules: burst after ten seconds, experiments on spot only, a cap on the month",
): Promise<void> {
	const known = await ctx.db.select({ name: policy.name }).from(policy).where(eq(policy.name, DEFAULT_POLICY));
	if (known.length > 0) return;
	await publishPolicy(ctx, {
		name: DEFAULT_POLICY,
		source,
		message,
	});
}
