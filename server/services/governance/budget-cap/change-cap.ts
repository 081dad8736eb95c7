import { and, eq, isNull } from "drizzle-orm";
import type { z } from "zod";
import { changeCapInput } from "#server/contract/inputs/budget.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { proposal } from "#server/db/schema/proposal.ts";
import { DEFAULT_POLICY, type Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { readBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import { type ActivePolicy, activePolicy } from "#server/services/policy/active.ts";
import { fetchPointer } from "#server/services/policy/fetch-version.ts";
import { rejectManaged } from "#server/services/policy/guards.ts";
import { lockPolicy, writeVersion } from "../policy/write-version.ts";
import { addCap, editCap, type NewBudget } from "./edit-cap.ts";

export type ChangeCapInput = z.input<typeof changeCapInput>;

export type CapChanged =
	| { kind: "changed"; policyVersion: number; fromMicroUsd: bigint; toMicroUsd: bigint }
	/** Another person must approve first. */
	| { kind: "proposed"; proposalId: string; fromMicroUsd: bigint; toMicroUsd: bigint };

/**
 * Changes a budget's cap by publishing the policy again with only that figure replaced, or proposes the change when a second person must
 * approve.
 * @throws SpillwayError `forbidden` (also where the policy is kept in git), `not_found`, `conflict` when the policy has changed;
 * ZodError.
 */
export async function changeCap(ctx: ServiceContext, raw: ChangeCapInput): Promise<CapChanged> {
	authorize(ctx, "budget:change", null);
	const { budgetId, capUsd, message, policyVersion } = changeCapInput.parse(raw);
	const toMicroUsd = usdToMicro(capUsd);
	return ctx.db.transaction(async (tx) => {
		await lockPolicy(tx, DEFAULT_POLICY);
		rejectManaged(await fetchPointer(tx, DEFAULT_POLICY), null);
		const active = await activePolicy(tx);
		if (policyVersion !== undefined && active.version !== policyVersion) throw movedOn(policyVersion, active.version);
		const rule = active.policy.budgets.find((b) => b.id === budgetId);
		if (!rule) throw new SpillwayError("not_found", `The active policy has no budget "${budgetId}".`, { fix: "Reload the budgets." });
		if (rule.capMicroUsd === toMicroUsd)
			throw new SpillwayError("invalid_input", `The cap of ${budgetId} is already $${microToUsdText(toMicroUsd)}.`, {
				fields: [{ path: "capUsd", message: "is already the cap" }],
			});
		return submitCap(tx, ctx, { active, message, budgetId, fromMicroUsd: rule.capMicroUsd, toMicroUsd });
	});
}

/** A cap, and the budget's jobs and period when the change adds it. */
export interface CapEdit {
	budgetId: string;
	fromMicroUsd: bigint;
	toMicroUsd: bigint;
	added?: NewBudget | undefined;
}

/** The policy's text with the change. */
export function applyCapEdit(source: string, { budgetId, toMicroUsd, added }: CapEdit): string {
	return added ? addCap(source, budgetId, toMicroUsd, added) : editCap(source, budgetId, toMicroUsd);
}

/** Publishes the change, or proposes it when a second person must approve. The caller has locked the policy and authorized. */
export async function submitCap(
	tx: Tx,
	ctx: ServiceContext,
	{ active, message, ...edit }: CapEdit & { active: ActivePolicy; message: string },
): Promise<CapChanged> {
	const { fromMicroUsd, toMicroUsd } = edit;
	// Validate before proposing, so that a change that cannot be published is never proposed.
	const source = applyCapEdit(active.source, edit);
	const policy = validPolicy(source, edit);
	const { secondPerson } = await readBudgetSettings(tx);
	if (secondPerson && ctx.actor.kind === "person") {
		const proposalId = await propose(tx, ctx, { ...edit, policyVersion: active.version, message });
		return { kind: "proposed", proposalId, fromMicroUsd, toMicroUsd };
	}
	const policyVersion = await publishCap(tx, ctx, { ...edit, source, policy, message, baseVersion: active.version });
	return { kind: "changed", policyVersion, fromMicroUsd, toMicroUsd };
}

/** Parses a text made by `applyCapEdit`. @throws SpillwayError `invalid_input`, for instance when the scope of a new budget is wrong. */
export function validPolicy(source: string, { added }: CapEdit): Policy {
	const { policy, problems } = parsePolicy(source);
	if (policy) return policy;
	const path = added ? "scope" : "capUsd";
	throw new SpillwayError("invalid_input", `The policy would have an error: ${problems[0]?.message ?? "unknown"}`, {
		fields: problems.map((p) => ({ path, message: p.message, line: p.line, column: p.column })),
	});
}

/** Publishes a text made by `applyCapEdit`, and records the change in the audit log. The caller has locked the policy and authorized. */
export async function publishCap(
	tx: Tx,
	ctx: ServiceContext,
	input: CapEdit & { source: string; policy: Policy; message: string; baseVersion: number; proposal?: object },
): Promise<number> {
	const { source, policy, message, baseVersion, added } = input;
	const version = await writeVersion(tx, ctx, { name: DEFAULT_POLICY, source, message, policy, baseVersion, origin: null });
	await writeAudit(tx, ctx, {
		action: added ? "budget.add" : "budget.change_cap",
		subject: input.budgetId,
		before: added ? null : { capMicroUsd: input.fromMicroUsd.toString() },
		after: { capMicroUsd: input.toMicroUsd.toString(), policyVersion: version, message, ...added, ...input.proposal },
	});
	await notify(tx, { changes: [{ topic: "spend", id: null, team: null }] });
	return version;
}

async function propose(
	tx: Tx,
	ctx: ServiceContext,
	{ budgetId, policyVersion, message, fromMicroUsd, toMicroUsd, added }: CapEdit & { policyVersion: number; message: string },
): Promise<string> {
	const waiting = await tx.$count(
		proposal,
		and(eq(proposal.kind, "budget_cap"), eq(proposal.subject, budgetId), isNull(proposal.decision)),
	);
	if (waiting > 0)
		throw new SpillwayError("conflict", `A change to the cap of ${budgetId} is already waiting for approval.`, {
			fix: "Approve, reject or withdraw it first.",
		});
	const nowMs = ctx.clock.nowMs();
	const id = newId("prop", nowMs);
	const change = {
		...{ budgetId, policyName: DEFAULT_POLICY, policyVersion },
		...{ fromMicroUsd: fromMicroUsd.toString(), toMicroUsd: toMicroUsd.toString() },
		...(added && { added }),
	};
	await tx
		.insert(proposal)
		.values({ id, kind: "budget_cap", subject: budgetId, change, message, proposedBy: actorName(ctx.actor), proposedAt: new Date(nowMs) });
	await writeAudit(tx, ctx, { action: "proposal.create", subject: id, after: { ...change, message } });
	await notify(tx, { changes: [{ topic: "policy", id: null, team: null }] });
	return id;
}

export function movedOn(from: number, to: number): SpillwayError {
	return new SpillwayError("conflict", `The policy changed from version ${from} to version ${to} since this request was made.`, {
		fix: "Check the budget and request the change again.",
	});
}
