import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { policy, policyDraft, policyPublication, policyVersion } from "#server/db/schema/policy.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { PolicyManagedBy, PolicyOrigin } from "#server/domain/policy-version.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { countBudgets } from "#server/services/ledger/budget/count.ts";
import { fetchPointer } from "#server/services/policy/fetch-version.ts";

/** Prevents other publications of this policy until the transaction ends. */
export async function lockPolicy(tx: Tx, name: string): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`policy:${name}`}))`);
}

/** Who is responsible for a publication. Omitted: the caller alone. */
export interface Responsible {
	/** As recorded in the audit log. */
	by?: string;
	/** The second person. */
	approvedBy?: string;
	backtestId?: string | null;
	noBacktestReason?: string | null;
}

export interface NewVersion extends Responsible {
	name: string;
	source: string;
	message: string;
	policy: Policy;
	/** The version its author started from; null for the first. */
	baseVersion: number | null;
	origin: PolicyOrigin | null;
}

/**
 * Writes the next version, in force when the transaction commits. The caller must have authorized it, parsed `source` into `policy` and
 * locked the policy. New budgets and budgets with another scope are counted in the same transaction.
 */
export async function writeVersion(tx: Tx, ctx: ServiceContext, input: NewVersion): Promise<number> {
	const { name, source, message, origin, baseVersion } = input;
	const [last] = await tx
		.select({ version: sql<number>`coalesce(max(${policyVersion.version}), 0)::int` })
		.from(policyVersion)
		.where(eq(policyVersion.name, name));
	const version = (last?.version ?? 0) + 1;
	const author = input.by ?? actorName(ctx.actor);
	const createdAt = new Date(ctx.clock.nowMs());
	await tx.insert(policyVersion).values({ name, version, source, author, message, createdAt, baseVersion, origin });
	await movePointer(tx, ctx, { ...input, version, kind: "publish" });
	// A published text is no longer a draft; a draft edited since then stays.
	if (author.startsWith("account:")) {
		const accountId = author.slice("account:".length);
		const published = and(eq(policyDraft.name, name), eq(policyDraft.accountId, accountId), eq(policyDraft.source, source));
		await tx.delete(policyDraft).where(published);
	}
	return version;
}

export interface PointerMove extends Responsible {
	name: string;
	version: number;
	kind: "publish" | "rollback";
	/** The version's content. */
	policy: Policy;
	message: string;
	origin?: PolicyOrigin | null;
}

/** Puts an existing version in force. The caller must have authorized it and locked the policy. */
export async function movePointer(tx: Tx, ctx: ServiceContext, input: PointerMove): Promise<void> {
	const { name, version, kind, origin } = input;
	const nowMs = ctx.clock.nowMs();
	const before = await fetchPointer(tx, name);
	const managedBy: PolicyManagedBy | null =
		origin?.kind === "git" ? { kind: "git", repository: origin.repository, path: origin.path } : (before?.managedBy ?? null);
	await tx
		.insert(policy)
		.values({ name, activeVersion: version, managedBy })
		.onConflictDoUpdate({ target: policy.name, set: { activeVersion: version, managedBy } });
	await tx.insert(policyPublication).values({
		...{ id: newId("pub", nowMs), name, version, kind, publishedAt: new Date(nowMs) },
		publishedBy: input.by ?? actorName(ctx.actor),
		approvedBy: input.approvedBy ?? null,
		backtestId: input.backtestId ?? null,
		noBacktestReason: input.noBacktestReason ?? null,
	});
	await countBudgets(tx, input.policy.budgets, nowMs);
	await writeAudit(tx, ctx, {
		...{ action: `policy.${kind}`, subject: name, before: before && { version: before.activeVersion } },
		after: {
			...{ version, message: input.message },
			...(origin ? { origin } : {}),
			...(input.by === undefined ? {} : { by: input.by, approvedBy: input.approvedBy }),
			...(input.backtestId ? { backtestId: input.backtestId } : {}),
			...(input.noBacktestReason ? { noBacktestReason: input.noBacktestReason } : {}),
		},
	});
	await notify(tx, { wake: true, changes: [{ topic: "policy", id: name, team: null }] });
}
