import { like } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import { readCommitments } from "#server/services/pricing/commitment/commitments.ts";

const PREFIX = "commitment_metered/";

/** Setting with the instant, UTC ms, up to which a commitment's unused hours are charged. */
export const progressKey = (commitmentId: string): string => `${PREFIX}${commitmentId}`;

/** Number of commitments with open hours before `toMs`. An hour closes one hour after its end, once its machines are charged beyond it. */
export async function commitmentsBehind(db: DbOrTx, toMs: number): Promise<number> {
	const begun = (await readCommitments(db)).filter((c) => c.fromMs < toMs);
	if (begun.length === 0) return 0;
	const sites = new Set((await db.select({ id: site.id }).from(site)).map(({ id }) => id));
	const rows = await db
		.select()
		.from(setting)
		.where(like(setting.key, `${PREFIX}%`));
	const done = new Map(rows.map((row) => [row.key, Number(row.value)]));
	return begun.filter((c) => sites.has(c.siteId) && (done.get(progressKey(c.id)) ?? c.fromMs) < Math.min(toMs, c.toMs)).length;
}
