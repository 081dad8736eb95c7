import type { z } from "zod";
import { buildFirstPolicy, firstPolicyInput } from "#server/domain/first-policy.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { checkPolicy, type PolicyCheck } from "../policy/check.ts";

/** The policy for these answers and the parser's findings. Nothing is saved. @throws SpillwayError `forbidden`; ZodError */
export async function previewFirstPolicy(
	ctx: ServiceContext,
	raw: z.input<typeof firstPolicyInput>,
): Promise<{ source: string; check: PolicyCheck }> {
	authorize(ctx, "policy:publish", null);
	const source = buildFirstPolicy(firstPolicyInput.parse(raw));
	return { source, check: await checkPolicy(ctx, { name: "default", source }) };
}
