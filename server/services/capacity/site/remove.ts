import { and, eq, inArray, ne } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { clusterNode } from "#server/db/schema/cluster-node.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { offer } from "#server/db/schema/offer.ts";
import { site } from "#server/db/schema/site.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { auditedSite, lockSite } from "./fetch.ts";
import type { SiteRow } from "./row.ts";

/** Maximum number of blocking references named. */
const NAMED_MAX = 5;

/**
 * Removes a site and its credentials. The row remains for the attempts and charges that refer to it, and its id is not reused. Requires a
 * disabled site without our resources: after the removal nothing would monitor or end them.
 * @throws SpillwayError `forbidden`, `not_found`, `conflict` with what blocks the removal.
 */
export async function removeSite(ctx: ServiceContext, id: string): Promise<void> {
	authorize(ctx, "site:manage", null);
	await ctx.db.transaction(async (tx) => {
		const before = await lockSite(tx, id);
		const standing = await blockersOf(tx, before);
		if (standing.length > 0) {
			throw new SpillwayError("conflict", `The site "${id}" cannot be removed yet: ${standing.join("; ")}.`, {
				fix: before.enabled
					? "Disable it to stop new placements, and wait for running work to finish or cancel it."
					: "Wait until it has come to its end, or cancel it.",
			});
		}
		await tx.delete(offer).where(eq(offer.siteId, id));
		await tx.delete(clusterNode).where(eq(clusterNode.siteId, id));
		await tx
			.update(site)
			.set({
				...{ enabled: false, removedAt: new Date(ctx.clock.nowMs()), healthy: false, healthMessage: null },
				...{ credentialSource: null, sealedCredentials: null, credentialsChangedAt: null, unpricedPools: null },
			})
			.where(eq(site.id, id));
		await writeAudit(tx, ctx, { action: "site.remove", subject: id, before: auditedSite(before) });
		await notify(tx, { sites: true, wake: true, changes: [{ topic: "site", id, team: null }] });
	});
}

async function blockersOf(tx: Tx, { id, provider, enabled, lastSweep }: SiteRow): Promise<string[]> {
	const [attempts, instances] = await Promise.all([
		tx
			.select({ name: job.name, state: attempt.state })
			.from(attempt)
			.innerJoin(job, eq(job.id, attempt.jobId))
			.where(and(eq(attempt.siteId, id), inArray(attempt.state, [...LIVE_ATTEMPT_STATES]))),
		tx
			.select({ name: instance.providerInstanceId, id: instance.id, state: instance.state })
			.from(instance)
			.where(and(eq(instance.siteId, id), ne(instance.state, "terminated"))),
	]);
	return [
		...(provider === "local" ? ["the local site is this host, and can only be disabled"] : []),
		...(enabled ? ["it is enabled"] : []),
		...listed(
			"jobs run there",
			attempts.map((a) => `${a.name} (${a.state})`),
		),
		...listed(
			"machines live there",
			instances.map((i) => `${i.name ?? i.id} (${i.state})`),
		),
		...((lastSweep?.seen ?? 0) > instances.length
			? [
					`the last sweep still saw ${plural(lastSweep?.seen ?? 0, "machine")} with our tag; the next one shows whether they no longer exist`,
				]
			: []),
	];
}

function listed(what: string, names: readonly string[]): string[] {
	if (names.length === 0) return [];
	const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
	return [`${what}: ${names.slice(0, NAMED_MAX).join(", ")}${more}`];
}
