import type { z } from "zod";
import type { jobDocumentSchema } from "./job-schema.ts";
import { isCloudProvider, type Provider } from "./vocabulary.ts";

/** Where the set-up runs a test job. */
export const SETUP_TESTS = ["home", "cloud"] as const;
export type SetupTest = (typeof SETUP_TESTS)[number];

/** Names of the test jobs. */
export const SETUP_TEST_NAMES: Readonly<Record<SetupTest, string>> = { home: "setup-test-home", cloud: "setup-test-cloud" };
/** What the names have in common, to list both. */
export const SETUP_TEST_PREFIX = "setup-test-";

/** The most that the test in the cloud may cost in the worst case, µ$. */
export const SETUP_TEST_MAX_MICRO_USD = 1_000_000n;

/** Kubernetes starts no job without an image. */
const IMAGE = "busybox:1.37";

interface TestSite {
	provider: Provider;
	enabled: boolean;
	pools: readonly { accelerator: string }[];
}

interface TestOffer {
	accelerator: string;
	capacityType: string;
	microUsdPerHour: bigint | string | null;
	priceStale: boolean;
	quarantine: string | null;
}

/**
 * A job of a few seconds on one GPU. The one for the cloud requests the cheapest accelerator that no cluster of the company has, so that
 * it cannot start at home. Null when there is no such place: no cluster, or no such offer.
 */
export function setupTestJob(
	where: SetupTest,
	{ team, sites, offers }: { team: string; sites: readonly TestSite[]; offers: readonly TestOffer[] },
): z.input<typeof jobDocumentSchema> | null {
	const owned = sites.filter((site) => site.enabled && !isCloudProvider(site.provider));
	const home = owned.find(({ pools }) => pools.length > 0);
	const accelerator = where === "home" ? home?.pools[0]?.accelerator : cheapestAway(owned, offers);
	if (accelerator === undefined) return null;
	const needsImage = where === "home" && home?.provider === "kubernetes";
	return {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: SETUP_TEST_NAMES[where], team },
		spec: {
			class: "experimental",
			...(needsImage && { image: IMAGE }),
			command: ["sh", "-c", 'echo "Spillway test job on $(hostname)"'],
			resources: { gpus: 1, accelerators: [accelerator] },
			duration: { estimate: "1m", max: "20m" },
		},
	};
}

function cheapestAway(owned: readonly TestSite[], offers: readonly TestOffer[]): string | undefined {
	const atHome = new Set(owned.flatMap(({ pools }) => pools.map((pool) => pool.accelerator)));
	let best: { accelerator: string; price: bigint } | undefined;
	for (const { accelerator, capacityType, microUsdPerHour, priceStale, quarantine } of offers) {
		if (microUsdPerHour === null || priceStale || quarantine !== null || capacityType === "reserved" || atHome.has(accelerator)) continue;
		const price = BigInt(microUsdPerHour);
		if (best === undefined || price < best.price) best = { accelerator, price };
	}
	return best?.accelerator;
}

interface TestQuote {
	outcome: string;
	reason: { message: string };
	candidates: readonly { outcome: string; placement: { capacityType: string }; worstCaseMicroUsd: bigint | string }[];
}

/** Why a quoted test must not be submitted, as a sentence; null when it may be. */
export function setupTestProblem(where: SetupTest, { outcome, reason, candidates }: TestQuote): string | null {
	const expected = where === "home" ? ["place_home", "wait"] : ["launch"];
	if (!expected.includes(outcome)) return reason.message;
	if (where === "home") return null;
	const chosen = candidates.find((candidate) => candidate.outcome === "chosen");
	if (chosen && BigInt(chosen.worstCaseMicroUsd) <= SETUP_TEST_MAX_MICRO_USD) return null;
	return "The cheapest machine could cost more than $1 in the worst case. Submit a job of your own instead.";
}
