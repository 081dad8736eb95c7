import type { Tx } from "#server/db/client.ts";
import type { PolicyPublishChange, proposal } from "#server/db/schema/proposal.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { fetchPointer, fetchVersion } from "#server/services/policy/fetch-version.ts";
import { rejectManaged } from "#server/services/policy/guards.ts";
import { knownFacts } from "./known-facts.ts";
import { readable } from "./rollback.ts";
import { movePointer, writeVersion } from "./write-version.ts";

/**
 * Publishes a proposal in the name of the proposer and the approver. The caller must have authorized it, locked the policy and verified
 * that it has not changed since.
 * @throws SpillwayError `conflict` when the text now has an error because the installation changed.
 */
export async function publishProposed(
	tx: Tx,
	ctx: ServiceContext,
	row: typeof proposal.$inferSelect,
	change: PolicyPublishChange,
): Promise<number> {
	const { policyName: name, source, origin, backtestId, noBacktestReason = null, rollbackTo, policyVersion } = change;
	const responsible = { by: row.proposedBy, approvedBy: actorName(ctx.actor), backtestId, noBacktestReason };
	rejectManaged(await fetchPointer(tx, name), origin);
	if (rollbackTo !== null) {
		const policy = readable(await fetchVersion(tx, name, rollbackTo));
		await movePointer(tx, ctx, { ...responsible, name, version: rollbackTo, kind: "rollback", policy, message: row.message });
		return rollbackTo;
	}
	const { policy, problems } = parsePolicy(source, await knownFacts({ db: tx, clock: ctx.clock }));
	if (!policy) {
		throw new SpillwayError("conflict", "The policy has an error because something changed after the proposal.", {
			fix: "Reject it and propose a corrected version.",
			fields: problems.map((p) => ({ path: "", message: p.message, line: p.line, column: p.column })),
		});
	}
	const baseVersion = policyVersion === 0 ? null : policyVersion;
	return writeVersion(tx, ctx, { ...responsible, name, source, message: row.message, policy, baseVersion, origin });
}
