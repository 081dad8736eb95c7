import { needsInterconnect } from "#server/domain/interconnect.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import { JOB_FIELDS, JobFacts } from "#server/policy/job-facts.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import { alwaysComparesWaiting } from "./compares-waiting.ts";
import { poolRemoval } from "./home.ts";
import type { HomePool } from "./home-pool.ts";
import { LIMITS } from "./limits.ts";
import { mainRemoval } from "./main-removal.ts";
import { isAtHome } from "./offer-residency.ts";
import { fitOffers, judgeRows, type OfferBook, type OfferFit, type PolicyRemovals, type RemovedGroup } from "./offers.ts";
import type { Removal } from "./removal.ts";

/**
 * Jobs that no rule and no machine can distinguish have the same **shape**. Rules, pools and offers are evaluated once per shape, which
 * keeps a cycle's cost at jobs + shapes × offers instead of jobs × offers.
 */
export interface Shape {
	verdict: JobVerdict;
	/** Every pool with the reason it can never take the job, or null. */
	pools: { pool: HomePool; removal: Removal | null }[];
	/** Pools that can take it and respond. */
	home: HomePool[];
	/** Whether some pool can take it once it is free and responds. */
	homeEver: boolean;
	/** Whether every burst rule that applies to it, now or later, compares leaving with waiting. */
	comparesWaiting: boolean;
	/** Filtered on first use. */
	offers: () => OfferFit;
	/** The main reason why offers are excluded (main-removal.ts), computed on first use; null: none. */
	mainRemoval: () => RemovedGroup | null;
}

export type ShapeOf = (spec: JobSpec) => Shape;

export function makeShapes(policy: Policy, pools: readonly HomePool[], offers: OfferBook, nowMs: number): ShapeOf {
	const signatureOf = makeSignatureOf(policy);
	const shapes = new Map<string, Shape>();
	// A spec never changes, and is used in every cycle of its job's life.
	const bySpec = new WeakMap<JobSpec, Shape>();
	const judged = new Map<string, PolicyRemovals>();
	const fits = new Map<string, OfferFit>();
	const fitOf = (spec: JobSpec, verdict: JobVerdict): OfferFit => {
		const filters = JSON.stringify(verdict.filters);
		const removals = judged.get(filters) ?? judgeRows(offers.rows, verdict);
		judged.set(filters, removals);
		const key = `${hardwareOf(spec)}\n${filters}`;
		const fit = fits.get(key) ?? fitOffers(offers, spec, removals, nowMs);
		fits.set(key, fit);
		return fit;
	};
	return (spec) => {
		const kept = bySpec.get(spec);
		if (kept) return kept;
		const signature = signatureOf(spec);
		let shape = shapes.get(signature);
		if (!shape) {
			const verdict = judgeJob(policy, spec);
			shape = makeShape(spec, verdict, policy, { pools, mounts: offers.mounts }, () => fitOf(spec, verdict));
			// Under a policy that uses names every job is its own shape, so old shapes are dropped.
			if (shapes.size >= LIMITS.keptShapes) shapes.clear();
			if (fits.size >= LIMITS.keptShapes) fits.clear();
			shapes.set(signature, shape);
		}
		bySpec.set(spec, shape);
		return shape;
	};
}

function makeShape(
	spec: JobSpec,
	verdict: JobVerdict,
	policy: Policy,
	home: { pools: readonly HomePool[]; mounts: OfferBook["mounts"] },
	fitOf: () => OfferFit,
): Shape {
	const pools = home.pools.map((pool) => ({ pool, removal: poolRemoval(pool, spec, verdict, home.mounts) }));
	const able = pools.filter((p) => p.removal === null).map((p) => p.pool);
	let fit: OfferFit | null = null;
	let main: RemovedGroup | null | undefined;
	const offers = (): OfferFit => {
		fit ??= fitOf();
		return fit;
	};
	return {
		verdict,
		pools,
		home: able.filter((pool) => pool.view.healthy),
		homeEver: able.length > 0,
		comparesWaiting: alwaysComparesWaiting(verdict, policy),
		offers,
		mainRemoval: () => {
			if (main === undefined) main = mainRemoval(offers(), verdict.filters);
			return main;
		},
	};
}

type FactName = keyof JobFacts;
const FACT_NAMES = Object.keys(JOB_FIELDS) as FactName[];

/** A key that two jobs share exactly when hardware and this policy cannot distinguish them. */
export function makeSignatureOf(policy: Policy): (spec: JobSpec) => string {
	const names = factsUsedBy(policy);
	return (spec) => {
		const hardware = hardwareOf(spec);
		if (names.length === 0) return hardware;
		const facts = new JobFacts(spec);
		return `${hardware}\n${names.map((name) => textOf(facts[name])).join("\n")}`;
	};
}

/** What a job requires of a machine and its place, whatever the policy. */
function hardwareOf(spec: JobSpec): string {
	const { gpus, accelerators, cpus, memoryGiB, gpuMemoryGiB = "", bf16 = "" } = spec.resources;
	const models = accelerators.length > 1 ? [...accelerators].sort().join("|") : (accelerators[0] ?? "");
	const bound = spec.data.length === 0 ? "" : JSON.stringify(spec.data.map((d) => (isAtHome(d) ? [d.residency, d.uri] : d.residency)));
	const mounts = spec.mounts === undefined ? "" : ` ${spec.mounts.toSorted().join(",")}`;
	return `${spec.nodes} ${needsInterconnect(spec)} ${gpus} ${cpus} ${memoryGiB} ${gpuMemoryGiB} ${bf16} ${models} ${bound}${mounts}`;
}

/**
 * The facts that the policy's expressions may read. A name in a string is included too, which only creates more shapes. `job` without a
 * plain field after it means all of them.
 */
function factsUsedBy(policy: Policy): FactName[] {
	const texts = [...policy.rules.map((r) => r.when ?? ""), ...policy.budgets.map((b) => b.scope), ...policy.caps.map((c) => c.scope)];
	const used = new Set<string>();
	for (const text of texts) {
		for (const [, field] of text.matchAll(/\bjob\b(?:\s*\.\s*([A-Za-z_]\w*))?/g)) {
			if (field === undefined || !(field in JOB_FIELDS)) return FACT_NAMES;
			used.add(field);
		}
	}
	return FACT_NAMES.filter((name) => used.has(name));
}

function textOf(value: JobFacts[FactName]): string {
	if (typeof value !== "object") return typeof value === "string" ? JSON.stringify(value) : String(value);
	// A list keeps its order, which an expression can depend on; a map has none.
	return JSON.stringify(Array.isArray(value) ? value : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
