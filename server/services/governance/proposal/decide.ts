import { eq } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { type CapChange, type ProposedChange, proposal, type SecondPersonOffChange } from "#server/db/schema/proposal.ts";
import type { Permission } from "#server/domain/permissions.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { fetchPointer } from "#server/services/policy/fetch-version.ts";
import { rejectManaged } from "#server/services/policy/guards.ts";
import { APPROVES, writeSecondPerson } from "#server/services/policy/second-person.ts";
import { applyCapEdit, movedOn, publishCap, validPolicy } from "../budget-cap/change-cap.ts";
import { auditOf } from "../policy/propose.ts";
import { publishProposed } from "../policy/publish-proposed.ts";
import { lockPolicy } from "../policy/write-version.ts";

/**
 * Approves a proposal as a second person: the change takes effect immediately.
 * @throws SpillwayError `forbidden` (also for one's own proposal), `not_found`, `conflict` when it was already decided, or the policy
 * changed since it was proposed: then it stays open, to be rejected or withdrawn. Returns the policy version it published, or null.
 */
export async function approveProposal(ctx: ServiceContext, id: string): Promise<{ policyVersion: number | null }> {
	authorize(ctx, "budget:read", null);
	return ctx.db.transaction(async (tx) => {
		// Lock the policy first, as everything that publishes does.
		const { change } = await fetchOpen(tx, id, false);
		if (!isOff(change)) await lockPolicy(tx, change.policyName);
		const row = await fetchOpen(tx, id, true);
		const right = rightToDecide(row.change);
		authorize(ctx, right, null);
		if (ctx.actor.kind !== "person" || row.proposedBy === actorName(ctx.actor)) {
			const fix = right === "budget:approve" ? "Ask another person who may approve budgets." : "Ask another platform engineer.";
			throw new SpillwayError("forbidden", "You cannot approve your own proposal.", { fix: fix });
		}
		if (isOff(row.change)) {
			await decide(tx, ctx, row, "approved");
			await writeSecondPerson(tx, ctx, row.change.secondPersonOf, false, { proposalId: row.id, proposedBy: row.proposedBy });
			return { policyVersion: null };
		}
		const active = (await fetchPointer(tx, row.change.policyName))?.activeVersion ?? 0;
		if (active !== row.change.policyVersion) throw movedOn(row.change.policyVersion, active);
		await decide(tx, ctx, row, "approved");
		return {
			policyVersion: isCap(row.change) ? await applyCap(tx, ctx, row, row.change) : await publishProposed(tx, ctx, row, row.change),
		};
	});
}

async function applyCap(tx: Tx, ctx: ServiceContext, row: Row, change: CapChange): Promise<number> {
	rejectManaged(await fetchPointer(tx, change.policyName), null);
	const active = await activePolicy(tx, change.policyName);
	const edit = { ...change, fromMicroUsd: BigInt(change.fromMicroUsd), toMicroUsd: BigInt(change.toMicroUsd) };
	const source = applyCapEdit(active.source, edit);
	return publishCap(tx, ctx, {
		...{ ...edit, source, policy: validPolicy(source, edit), message: row.message, baseVersion: active.version },
		proposal: { proposalId: row.id, proposedBy: row.proposedBy },
	});
}

/**
 * Rejects a proposal; when called by its proposer, withdraws it.
 * @throws SpillwayError `forbidden`, `not_found`, `conflict` when it was already decided.
 */
export async function rejectProposal(ctx: ServiceContext, id: string): Promise<{ decision: "rejected" | "withdrawn" }> {
	authorize(ctx, "budget:read", null);
	return ctx.db.transaction(async (tx) => {
		const row = await fetchOpen(tx, id, true);
		const right = rightToDecide(row.change);
		authorize(ctx, right === "budget:approve" ? "budget:change" : "policy:publish", null);
		const decision = row.proposedBy === actorName(ctx.actor) ? "withdrawn" : "rejected";
		if (decision === "rejected") authorize(ctx, right, null);
		await decide(tx, ctx, row, decision);
		return { decision };
	});
}

type Row = typeof proposal.$inferSelect;

const isCap = (change: ProposedChange): change is CapChange => "budgetId" in change;
const isOff = (change: ProposedChange): change is SecondPersonOffChange => "secondPersonOf" in change;

function rightToDecide(change: ProposedChange): Permission {
	if (isOff(change)) return APPROVES[change.secondPersonOf];
	return isCap(change) ? "budget:approve" : "policy:approve";
}

async function fetchOpen(tx: Tx, id: string, lock: boolean): Promise<Row> {
	const query = tx.select().from(proposal).where(eq(proposal.id, id));
	const [row] = await (lock ? query.for("update") : query);
	if (!row) throw new SpillwayError("not_found", `There is no proposal ${id}.`);
	if (row.decision !== null) throw new SpillwayError("conflict", `The proposal is already ${row.decision}.`, { fix: "Reload the list." });
	return row;
}

async function decide(tx: Tx, ctx: ServiceContext, row: Row, decision: NonNullable<Row["decision"]>): Promise<void> {
	const decided = { decision, decidedBy: actorName(ctx.actor), decidedAt: new Date(ctx.clock.nowMs()) };
	await tx.update(proposal).set(decided).where(eq(proposal.id, row.id));
	await writeAudit(tx, ctx, {
		action: `proposal.${decision}`,
		subject: row.id,
		before: { decision: null },
		after: { ...(isCap(row.change) || isOff(row.change) ? row.change : auditOf(row.change)), decision },
	});
	await notify(tx, { changes: [{ topic: "policy", id: null, team: null }] });
}
