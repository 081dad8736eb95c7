import { ago } from "./render/format.ts";
import type { Site } from "./response-types.ts";

type CheckedSite = Pick<Site, "id" | "enabled" | "healthy" | "healthMessage" | "lastSeenAt" | "gpusTotal"> & {
	pools: readonly Pick<Site["pools"][number], "gpus" | "accelerator">[];
};

/** A site not checked by a scheduler for this long counts as unchecked. */
const SEEN_WITHIN_MS = 60_000;

export interface SiteFinding {
	good: boolean;
	text: string;
}

/** First questions about a site that takes no jobs, as the scheduler last saw it. Every problem says what to do. */
export function findingsOf(site: CheckedSite, nowMs: number): SiteFinding[] {
	const owned = site.gpusTotal !== null;
	const seen = site.lastSeenAt !== null && nowMs - Date.parse(site.lastSeenAt) <= SEEN_WITHIN_MS;
	const found: SiteFinding[] = [
		site.enabled
			? { good: true, text: "enabled" }
			: { good: false, text: `disabled, so no new jobs are placed there. Enable it: spillway site enable ${site.id}` },
	];
	if (!site.enabled) return found;
	if (!site.healthy)
		found.push({
			good: false,
			text: `unhealthy: ${site.healthMessage ?? "no scheduler has contacted it yet. Check that a scheduler runs"}`,
		});
	else if (!seen) found.push({ good: false, text: `last seen ${ago(site.lastSeenAt, nowMs)}. Check that a scheduler runs` });
	else found.push({ good: true, text: `responded ${ago(site.lastSeenAt, nowMs)}` });
	// A responding site only has a message when a part of it has a problem.
	if (site.healthy && site.healthMessage !== null) found.push({ good: false, text: site.healthMessage });
	if (!owned) return found;
	const pools = site.pools.map((p) => `${p.gpus} × ${p.accelerator}`);
	const nothing = {
		good: false,
		text: "no pool has a price, so no jobs are placed there. Set one: spillway site price SITE/POOL --usd AMOUNT",
	};
	found.push(pools.length > 0 ? { good: true, text: `priced pools: ${pools.join(", ")}` } : nothing);
	return found;
}
