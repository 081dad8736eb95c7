import type { z } from "zod";
import { startShadowInput } from "#server/contract/inputs/backtest.ts";
import { shadow } from "#server/db/schema/shadow.ts";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { knownFacts } from "#server/services/governance/policy/known-facts.ts";
import { lockPolicy } from "#server/services/governance/policy/write-version.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { runningShadow } from "./active.ts";

/**
 * Runs a draft on live work, next to the published policy, to record differences only.
 * @throws SpillwayError `forbidden`; `invalid_input` with line and column; `conflict` when one is already running.
 */
export async function startShadow(ctx: ServiceContext, raw: z.input<typeof startShadowInput>): Promise<{ id: string }> {
	authorize(ctx, "policy:edit", null);
	const { name, source } = startShadowInput.parse(raw);
	const { policy, problems } = parsePolicy(source, await knownFacts(ctx));
	if (!policy) {
		throw new SpillwayError("invalid_input", "The draft has errors. Fix them first.", {
			fields: problems.map((p) => ({ path: "source", message: p.message, line: p.line, column: p.column })),
		});
	}
	const nowMs = ctx.clock.nowMs();
	return ctx.db.transaction(async (tx) => {
		await lockPolicy(tx, name);
		const active = await activePolicy(tx, name);
		const running = await runningShadow(tx, name);
		if (running) throw new SpillwayError("conflict", `The shadow ${running.id} is already running.`, { fix: "Stop it first." });
		const values = { id: newId("shdw", nowMs), policyName: name, baseVersion: active.version, source };
		const [row] = await tx
			.insert(shadow)
			.values({ ...values, startedAt: new Date(nowMs), startedBy: actorName(ctx.actor) })
			.returning({ id: shadow.id });
		const { id } = defined(row, "the shadow that was written");
		await writeAudit(tx, ctx, { action: "shadow.start", subject: id, after: { policy: name, baseVersion: active.version } });
		return { id };
	});
}
