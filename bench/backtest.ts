/**
 * Replays a draft and a published policy over synthetic records: `node bench/backtest.ts [--jobs 100000] [--days 90] [--one]`.
 * The records have the sizes and run times of lib/synthetic-trace.ts, spread over the days on enough A100-80GB for a load of 85%; five
 * classes, eleven teams, a hundred names, a deadline on every tenth job; all offers of the catalog for that model; spot prices change
 * every six hours. Both replays run in their own threads, as in a worker; `--one`: one after the other in this thread. Database reads are
 * not included.
 */
import { parseArgs } from "node:util";
import type { JobSpec } from "#server/domain/job.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { demoPolicy } from "#server/policy/demo-policy.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { replayInThread } from "#server/services/decision/backtest/replay-thread.ts";
import type { HistoryJob, RecordedHistory } from "#server/simulation/backtest/history.ts";
import { compareHalves, runBacktest } from "#server/simulation/backtest/run-backtest.ts";
import { boardWattsOf, catalogueHome, offersOf } from "./lib/catalogue.ts";
import { syntheticTrace } from "./lib/synthetic-trace.ts";

const { values: args } = parseArgs({
	options: {
		jobs: { type: "string", default: "100000" },
		days: { type: "string", default: "90" },
		one: { type: "boolean", default: false },
		seed: { type: "string", default: "1" },
	},
});

const FROM_MS = Date.UTC(2026, 0, 5);
const NODE_GPUS = 8;
/** Hours, as in a company's policy, where the demo's policy uses seconds. */
const PUBLISHED = demoPolicy({ capUsd: 2_000_000, instanceHours: 24 * 14 })
	.replace("forecastWait: 10s", "forecastWait: 30m")
	.replace("deadlineSlack: 5m", "deadlineSlack: 2h");
const DRAFT = PUBLISHED.replace("forecastWait: 30m", "forecastWait: 4h");

function recordsOf(count: number, days: number, seed: number): RecordedHistory {
	const random = seededRandom(`${seed}/records`);
	const trace = syntheticTrace({ jobs: count, ownedGpus: NODE_GPUS, load: 1, seed });
	const spanMs = trace.at(-1)?.submitMs ?? 1;
	const toMs = FROM_MS + days * DAY_MS;
	const jobs = trace.map((t): HistoryJob => {
		const submittedAtMs = FROM_MS + Math.floor((t.submitMs / spanMs) * (days * DAY_MS - 1));
		const gpus = Math.min(t.gpus, NODE_GPUS);
		const spec: JobSpec = {
			...{ name: `model-${random.int(1, 100)}`, team: t.team, project: null, labels: {}, class: random.pick(WORKLOAD_CLASSES) },
			...{ image: null, command: [], env: {}, nodes: Math.ceil(t.gpus / gpus) },
			resources: { gpus, accelerators: [], cpus: null, memoryGiB: null },
			duration: { estimateMs: Math.ceil((t.durationMs * (0.5 + random.next())) / HOUR_MS) * HOUR_MS, maxMs: null },
			deadlineMs: random.next() < 0.1 ? submittedAtMs + 2 * t.durationMs + 4 * HOUR_MS : null,
			...{ priority: 50, critical: false, data: [] },
			checkpoint: random.next() < 0.5 ? { path: "/checkpoints", intervalMs: 15 * MINUTE_MS } : null,
		};
		return {
			...{ id: `job_${t.id}`, spec, submittedAtMs, approvedMicroUsd: null, withdrawnAtMs: null, dataOutGiB: 0 },
			work: { kind: "recorded", ms: t.durationMs, beforeMs: 0 },
		};
	});
	const gpuMs = trace.reduce((sum, t) => sum + t.gpus * t.durationMs, 0);
	const nodes = Math.max(1, Math.round((0.85 * gpuMs) / (days * DAY_MS) / NODE_GPUS));
	const offers = offersOf("A100-80GB", FROM_MS);
	const prices: RecordedHistory["prices"] = new Map();
	for (const offer of offers) {
		const { microUsdPerHour: price } = offer;
		if (price === null) continue;
		const steps = offer.capacityType === "spot" ? days * 4 : 1;
		prices.set(
			offer.id,
			Array.from({ length: steps }, (_, i) => ({
				atMs: FROM_MS + (i * (toMs - FROM_MS)) / steps,
				microUsdPerHour: (price * BigInt(90 + random.int(0, 20))) / 100n,
			})),
		);
	}
	return {
		...{
			fromMs: FROM_MS,
			toMs,
			seed,
			jobs,
			offers,
			prices,
			launches: [],
			priorRuns: [],
			spentBefore: [],
			zone: "UTC",
			firstJobAtMs: FROM_MS,
		},
		pools: [{ ...catalogueHome("A100-80GB"), id: "owned", siteId: "home", nodes, gpusPerNode: NODE_GPUS, speed: 1 }],
		boardWatts: boardWattsOf("A100-80GB"),
		timing: {
			...{ bootMs: 4 * MINUTE_MS, refusalMs: null, cooldownMs: 10 * MINUTE_MS },
			cloudStartMs: { p50Ms: 4 * MINUTE_MS, p90Ms: 6 * MINUTE_MS },
		},
	};
}

function policyOf(source: string) {
	const { policy, problems } = parsePolicy(source);
	if (!policy) throw new Error(JSON.stringify(problems));
	return policy;
}

const history = recordsOf(Number(args.jobs), Number(args.days), Number(args.seed));
const policies = { published: policyOf(PUBLISHED), draft: policyOf(DRAFT) };
const began = performance.now();
const quiet = { signal: new AbortController().signal, onProgress: () => {} };
const threads = () =>
	Promise.all([replayInThread(history, policies.published, quiet), replayInThread(history, policies.draft, quiet)]).then(
		([published, draft]) => compareHalves(history, { published, draft }, policies),
	);
const result = args.one ? runBacktest(history, policies) : await threads();
const seconds = (performance.now() - began) / 1000;
const { published, draft } = result;
console.table({
	jobs: history.jobs.length,
	days: Number(args.days),
	ownedGpus: (history.pools[0]?.nodes ?? 0) * NODE_GPUS,
	offers: history.offers.length,
	seconds: Math.round(seconds * 100) / 100,
	replaySecondsBoth: result.replaySeconds,
	cpuSeconds: Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1e4) / 100,
	peakRssMiB: Math.round(process.resourceUsage().maxRSS / 1024),
	moved: result.movedCount,
	publishedCloudUsd: Math.round(Number(published.cloudCostMicroUsd) / 1e6),
	draftCloudUsd: Math.round(Number(draft.cloudCostMicroUsd) / 1e6),
	publishedMeanWaitMin: Math.round(published.meanWaitMs / MINUTE_MS),
	draftMeanWaitMin: Math.round(draft.meanWaitMs / MINUTE_MS),
	waitingAtEnd: draft.waitingAtEnd,
});
