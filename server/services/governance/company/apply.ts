import type { z } from "zod";
import { applyCompanyInput } from "#server/contract/inputs/company.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ChangeView, CompanyContext } from "./change.ts";
import { computePlan, hashOf } from "./plan.ts";

/**
 * Makes the installation match the file, in one transaction: all changes happen, or none.
 * @throws SpillwayError as planCompany; `precondition_failed` when the difference does not match `hash`; any error of the
 * changes
 */
export async function applyCompany(
	ctx: CompanyContext,
	raw: z.input<typeof applyCompanyInput>,
): Promise<{ applied: ChangeView[]; skipped: string[] }> {
	authorize(ctx, "account:manage", null);
	const { hash, ...input } = applyCompanyInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const inside = { ...ctx, db: tx };
		const { changes, skipped } = await computePlan(inside, input);
		if (hash !== hashOf(changes)) {
			throw new SpillwayError("precondition_failed", "The installation changed since the difference was shown. Nothing was applied.", {
				fix: "Look at the new difference and apply again.",
			});
		}
		for (const change of changes) await change.apply(inside);
		const applied = changes.map(({ kind, id, action, fields }) => ({ kind, id, action, fields }));
		if (applied.length > 0) {
			const after = { changes: applied.map(({ kind, id, action }) => `${action} ${kind} ${id}`) };
			await writeAudit(tx, ctx, { action: "company.apply", subject: "company", after });
		}
		return { applied, skipped };
	});
}
