import { and, eq, isNull, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { foreignJob } from "#server/db/schema/foreign-job.ts";
import { site } from "#server/db/schema/site.ts";
import type { ForeignJob as Facts } from "#server/domain/foreign-job.ts";
import type { ForeignJob } from "#server/scheduling/types.ts";
import { KeptRead } from "#server/services/core/kept-read.ts";
import { SameObjects } from "#server/services/core/same-objects.ts";

interface Row {
	siteId: string;
	facts: Facts;
}

/**
 * Other schedulers' jobs in the form the decision core uses, read again only when the table changed. Excluded: jobs that the site does not
 * start by itself (held, or waiting for something other than room), and those with a pending Spillway job.
 */
export class ForeignCache {
	readonly #rows = new KeptRead<Row[]>();
	readonly #same = new SameObjects<ForeignJob>(({ id }) => id);

	/** `version`: the enabled sites and FOREIGN_VERSION. */
	async read(tx: Tx, version: string): Promise<ForeignJob[]> {
		const rows = await this.#rows.at(version, () =>
			tx
				.select({ siteId: foreignJob.siteId, facts: foreignJob.facts })
				.from(foreignJob)
				.innerJoin(site, and(eq(site.id, foreignJob.siteId), eq(site.enabled, true))),
		);
		if (rows.length === 0) return [];
		const adopted = await tx
			.select({ siteId: adoption.siteId, foreignId: adoption.foreignId })
			.from(adoption)
			.where(isNull(adoption.endedAt));
		const ours = new Set(adopted.map(({ siteId, foreignId }) => `${siteId}/${foreignId}`));
		return this.#same.keep(rows.flatMap((row) => viewOf(row, ours) ?? []));
	}
}

/** Differs after any change of the table's rows. */
export const FOREIGN_VERSION = sql`(select count(*) || ' ' || coalesce(extract(epoch from max(${foreignJob.changedAt}))::text, '') from ${foreignJob})`;

function viewOf({ siteId, facts }: Row, ours: ReadonlySet<string>): ForeignJob | null {
	const id = `${siteId}/${facts.id}`;
	if (facts.poolId === null || facts.gpus === 0 || facts.state === "held" || ours.has(id)) return null;
	if (facts.state === "waiting" && facts.dependsOn !== null) return null;
	const nodes = Math.max(1, facts.nodes);
	return {
		id,
		poolId: facts.poolId,
		nodes,
		gpusPerNode: Math.ceil(facts.gpus / nodes),
		startedAtMs: facts.state === "running" ? (facts.startedAtMs ?? 0) : null,
		slots: facts.slots,
		position: facts.position ?? 0,
		limitMs: facts.timeLimitMs,
	};
}
