import { and, desc, eq, gte, inArray, lt } from "drizzle-orm";
import { z } from "zod";
import { instantMs } from "#server/contract/parts.ts";
import { audit } from "#server/db/schema/audit.ts";
import { event } from "#server/db/schema/event.ts";
import { site } from "#server/db/schema/site.ts";
import { ANNOTATED_ACTIONS, type Annotation, toAnnotations } from "#server/domain/annotation.ts";
import { allows, authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

export const annotationsInput = z.strictObject({ fromMs: instantMs, toMs: instantMs });

/** Maximum marks per source; the newest are kept. */
const ANNOTATIONS_MAX = 100;

/**
 * Changes in a range that charts mark: published policies, caps, prices and the health of sites. Each kind needs the permission
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
	const [lines, health] = await Promise.all([
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
	]);
	return toAnnotations(
		lines.map(({ at, ...line }) => ({ ...line, atMs: at.getTime() })),
		health.map(({ id, at, kind, name }) => ({ id, atMs: at.getTime(), name, healthy: kind === "site_healthy" })),
	);
}
