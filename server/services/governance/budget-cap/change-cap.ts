import { and, eq, isNull } from "drizzle-orm";
import type { z } from "zod";
import { changeCapInput } from "#server/contract/inputs/budget.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { proposal } from "#server/db/schema/proposal.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { readBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { fetchPointer } from "#server/services/policy/fetch-version.ts";
import { rejectManaged } from "#server/services/policy/guards.ts";
import { lockPolicy, writeVersion } from "../policy/write-version.ts";
import { editCap } from "./edit-cap.ts";

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
		const change = { fromMicroUsd: rule.capMicroUsd, toMicroUsd };
		// Validate before proposing, so that a change that cannot be published is never proposed.
		const text = editCap(active.source, budgetId, toMicroUsd);
		const { secondPerson } = await readBudgetSettings(tx);
		if (secondPerson && ctx.actor.kind === "person")
			return {
				kind: "proposed",
				proposalId: await propose(tx, ctx, { budgetId, policyVersion: active.version, message, ...change }),
				...change,
			};
		const cap = { budgetId, source: text, message, baseVersion: active.version, ...change };
		return { kind: "changed", policyVersion: await publishCap(tx, ctx, cap), ...change };
	});
}

/**
 * Publishes a text created by `editCap`, and records the change in the audit log. The caller must have locked the policy and been
 * authorized.
 */
export async function publishCap(
	tx: Tx,
	ctx: ServiceContext,
	input: {
		budgetId: string;
		source: string;
		message: string;
		baseVersion: number;
		fromMicroUsd: bigint;
		toMicroUsd: bigint;
		proposal?: unknown;
	},
): Promise<number> {
	const { policy, problems } = parsePolicy(input.source);
	if (!policy) {
		throw new SpillwayError("invalid_input", `The policy would have an error with this cap: ${problems[0]?.message ?? "unknown"}`, {
			fields: problems.map((p) => ({ path: "capUsd", message: p.message, line: p.line, column: p.column })),
		});
	}
	const { source, message, baseVersion } = input;
	const version = await writeVersion(tx, ctx, { name: DEFAULT_POLICY, source, message, policy, baseVersion, origin: null });
	await writeAudit(tx, ctx, {
		...{ action: "budget.change_cap", subject: input.budgetId, before: { capMicroUsd: input.fromMicroUsd.toString() } },
		after: { capMicroUsd: input.toMicroUsd.toString(), policyVersion: version, message: input.message, ...(input.proposal ?? {}) },
	});
	await notify(tx, { changes: [{ topic: "spend", id: null, team: null }] });
	return version;
}

async function propose(
	tx: Tx,
	ctx: ServiceContext,
	input: { budgetId: string; policyVersion: number; message: string; fromMicroUsd: bigint; toMicroUsd: bigint },
): Promise<string> {
	const { budgetId, policyVersion, message, fromMicroUsd, toMicroUsd } = input;
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
