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

/** How many accelerators a job may name. */
const ACCELERATORS_MAX = 32;

/**
 * A job of a few seconds on one GPU. The one for the cloud accepts the accelerators that no cluster of the company has, so that it cannot
 * start at home. Null when there is no such place: no cluster, or no such offer.
 * @param offered every accelerator that clouds offer
 */
export function setupTestJob(
	where: SetupTest,
	{ team, sites, offered }: { team: string; sites: readonly TestSite[]; offered: readonly string[] },
): z.input<typeof jobDocumentSchema> | null {
	const owned = sites.filter((site) => site.enabled && !isCloudProvider(site.provider));
	const home = owned.find(({ pools }) => pools.length > 0);
	const atHome = owned.flatMap(({ pools }) => pools.map(({ accelerator }) => accelerator));
	const accelerators = where === "home" ? atHome.slice(0, 1) : offered.filter((one) => !atHome.includes(one)).slice(0, ACCELERATORS_MAX);
	if (accelerators.length === 0) return null;
	const needsImage = where === "home" && home?.provider === "kubernetes";
	return {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: SETUP_TEST_NAMES[where], team },
		spec: {
			class: "experimental",
			...(needsImage && { image: IMAGE }),
			command: ["sh", "-c", 'echo "Spillway test job on $(hostname)"'],
			resources: { gpus: 1, accelerators },
			duration: { estimate: "1m", max: "20m" },
		},
	};
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
