import { and, desc, eq, gte, inArray, lt, ne } from "drizzle-orm";
import { z } from "zod";
import { instantMs } from "#server/contract/parts.ts";
import type { Db } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { audit } from "#server/db/schema/audit.ts";
import { event } from "#server/db/schema/event.ts";
import { site } from "#server/db/schema/site.ts";
import { ANNOTATED_ACTIONS, type Annotation, findLostRegions, type LostFact, toAnnotations } from "#server/domain/annotation.ts";
import { allows, authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

export const annotationsInput = z.strictObject({ fromMs: instantMs, toMs: instantMs });

/** Maximum marks per source; the newest are kept. */
const ANNOTATIONS_MAX = 100;

/** Maximum lost attempts per range; the newest are kept. */
const LOST_MAX = 1_000;

/**
 * Changes in a range that charts mark: published policies, caps, prices, the health of sites and regions that lost their machines. Each kind needs the permission
 * to read what changed; kinds that the actor may not read are left out.
 * @throws SpillwayError `forbidden`
 */
export async function listAnnotations(
	ctx: Pick<ServiceContext, "actor" | "db">,
	raw: z.input<typeof annotationsInput>,
): Promise<Annotation[]> {
	authorize(ctx, "capacity:read", null);
	const { fromMs, toMs } = annotationsInput.parse(raw);
	const [from, to] = [new Date(fromMs), new Date(toMs)];
	const actions = [
		...(allows(ctx, "policy:read", null) ? ANNOTATED_ACTIONS.policy : []),
		...(allows(ctx, "budget:read", null) ? ANNOTATED_ACTIONS.budget : []),
		...(allows(ctx, "rates:read", null) ? ANNOTATED_ACTIONS.price : []),
	];
	const [lines, health, lost] = await Promise.all([
		ctx.db
			.select({ id: audit.id, at: audit.at, action: audit.action, subject: audit.subject, before: audit.before, after: audit.after })
			.from(audit)
			.where(and(gte(audit.at, from), lt(audit.at, to), inArray(audit.action, actions)))
			.orderBy(desc(audit.at), desc(audit.id))
			.limit(ANNOTATIONS_MAX),
		ctx.db
			.select({ id: event.id, at: event.at, kind: event.kind, name: site.name })
			.from(event)
			.innerJoin(site, eq(site.id, event.siteId))
			.where(and(gte(event.at, from), lt(event.at, to), inArray(event.kind, ["site_unhealthy", "site_healthy"])))
			.orderBy(desc(event.at), desc(event.id))
			.limit(ANNOTATIONS_MAX),
		readLost(ctx.db, from, to),
	]);
	const changes = toAnnotations(
		lines.map(({ at, ...line }) => ({ ...line, atMs: at.getTime() })),
		health.map(({ id, at, kind, name }) => ({ id, atMs: at.getTime(), name, healthy: kind === "site_healthy" })),
	);
	return [...changes, ...findLostRegions(lost)].sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
}

async function readLost(db: Db, from: Date, to: Date): Promise<LostFact[]> {
	const rows = await db
		.select({ attemptId: attempt.id, at: attempt.finishedAt, placement: attempt.placement, site: site.name })
		.from(attempt)
		.innerJoin(site, eq(site.id, attempt.siteId))
		.where(and(eq(attempt.state, "lost"), ne(attempt.capacityType, "owned"), gte(attempt.finishedAt, from), lt(attempt.finishedAt, to)))
		.orderBy(desc(attempt.finishedAt), desc(attempt.id))
		.limit(LOST_MAX);
	return rows.flatMap(({ attemptId, at, placement: { region }, site: name }) =>
		at === null || region === null ? [] : [{ attemptId, atMs: at.getTime(), site: name, region }],
	);
}
