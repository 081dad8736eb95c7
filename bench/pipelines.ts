/**
 * A graph of many steps: `npm run bench:pipelines -- [--json] [--steps N] [--rounds N]`.
 * Over a throwaway PostgreSQL with the shipped offers: quotes a graph of N steps (`quoteMs`; `quoteBlockMs`: its longest block), submits it, decides what happens next after
 * each of its levels ended (`decideMs`: the slowest decision, without the database), and lists pipelines and the runs of this one
 * (`listP95Ms`). Times are processor time of this process, medians of the rounds unless stated otherwise. Nothing is asserted.
 */
import { parseArgs } from "node:util";
import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { pipeline } from "#server/db/schema/pipeline.ts";
import { advancePipeline, type RunView } from "#server/domain/pipeline/advance.ts";
import { parsePipelineDocument } from "#server/domain/pipeline/pipeline-file.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { checkStepCondition, stepConditionHolds } from "#server/policy/step-condition.ts";
import { catalogOffers } from "#server/rates/catalogue-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { prepareQuote } from "#server/services/decision/pipeline/quote.ts";
import { submitPipeline } from "#server/services/decision/pipeline/submit.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { refreshOffers } from "#server/services/pricing/offer/refresh.ts";
import { listRuns } from "#server/services/work/pipeline/get.ts";
import { listPipelines } from "#server/services/work/pipeline/list.ts";
import { startThrowawayPostgres } from "../scripts/test-postgres.mjs";
import { print, quantile, round } from "./lib/figures.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		steps: { type: "string", default: "10000" },
		rounds: { type: "string", default: "20" },
	},
});
const STEPS = Number(args.steps);
const ROUNDS = Number(args.rounds);
/** Steps of a level need three steps of the level before. */
const WIDTH = 100;
const NEEDS = 3;
const KINDS = ["prepare", "train", "evaluate", "report"];
const POLICY = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - { id: burst-on-wait, burst: { after: { forecastWait: 30m } } }
  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: 5000000, atCap: hold }
`;

function graph(): unknown {
	const steps = Array.from({ length: STEPS }, (_, i) => {
		const level = Math.floor(i / WIDTH);
		const needs = Array.from({ length: level === 0 ? 0 : NEEDS }, (_, k) => `s${(level - 1) * WIDTH + ((i + k * 7) % WIDTH)}`);
		const command = [KINDS[i % KINDS.length] ?? "run", String(i)];
		const job = { command, resources: { gpus: 1 + (i % 2) * 3 }, duration: { estimate: `${10 + (i % 5) * 10}m`, max: "4h" } };
		return { name: `s${i}`, needs: [...new Set(needs)], job };
	});
	return { apiVersion: "spillway/v1", kind: "Pipeline", metadata: { name: "bench", team: "research" }, spec: { steps } };
}

function cpuMs(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
}

async function timed(run: () => unknown): Promise<number> {
	const before = cpuMs();
	await run();
	return cpuMs() - before;
}

/** The longest time without a turn of the event loop, in processor time: what another request would wait. */
async function longestBlock(run: () => Promise<unknown>): Promise<number> {
	let [longest, before, isRunning] = [0, cpuMs(), true];
	const look = (): void => {
		const now = cpuMs();
		longest = Math.max(longest, now - before);
		before = now;
		if (isRunning) setImmediate(look);
	};
	setImmediate(look);
	await run();
	isRunning = false;
	await new Promise((resolve) => setImmediate(resolve));
	return longest;
}

/** Ends the levels of the graph one after another; returns the slowest decision. */
async function decideAll(spec: ReturnType<typeof parsePipelineDocument>): Promise<number> {
	const positions = new Map(spec.steps.map(({ name }, at) => [name, at]));
	const declared = spec.steps.map(({ name, needs, when, retry }) => ({
		...{ name, when, retry },
		needs: needs.flatMap((need) => positions.get(need) ?? []),
	}));
	let runs: RunView[] = declared.map((_, index) => ({ index, step: index, state: "waiting", tries: 0, job: null }));
	let slowest = 0;
	for (;;) {
		let submitted: number[] = [];
		const ms = await timed(() => {
			const next = advancePipeline(declared, runs, { state: "running", parallel: null, holds: stepConditionHolds });
			submitted = next.submit;
			const moved = new Map(next.moves.map(({ index, to }) => [index, to]));
			runs = runs.map((run) => ({ ...run, state: moved.get(run.index) ?? run.state }));
		});
		slowest = Math.max(slowest, ms);
		if (submitted.length === 0) return slowest;
		const now = new Set(submitted);
		runs = runs.map((run) =>
			now.has(run.index) ? { ...run, state: "submitted", tries: 1, job: { state: "succeeded", exitCode: 0 } } : run,
		);
	}
}

const postgres = await startThrowawayPostgres();
const connection = connect(postgres.url, { max: 4 });
try {
	const { db, sql } = connection;
	await migrate(postgres.url);
	const ctx = { ...systemContext(db, systemClock, "seed"), timing: timingSchema.parse({}) };
	await sql`insert into site (id, name, provider, settings, healthy) values ('home', 'home', 'slurm', '{}', true), ('aws', 'aws', 'aws', '{}', true)`;
	await sql`insert into pool (id, site_id, accelerator, nodes, gpus_per_node, unavailable_slots, micro_usd_per_gpu_hour, watts_per_gpu, owned_since)
		values ('gpu', 'home', 'A100-80GB', 2, 8, '{}', 1100000, 400, now() - interval '1 year')`;
	await sql`insert into team (name) values ('research')`;
	await publishPolicy(ctx, { name: "default", message: "bench", source: POLICY });
	await refreshOffers(db, catalogOffers(Date.now()), Date.now());
	const document = graph();
	let spec = parsePipelineDocument(document, { checkCondition: checkStepCondition });
	const parseMs = await timed(() => {
		spec = parsePipelineDocument(document, { checkCondition: checkStepCondition });
	});
	const quotes: number[] = [];
	const blocks: number[] = [];
	for (let i = 0; i < 5; i++) quotes.push(await timed(async () => blocks.push(await longestBlock(() => prepareQuote(ctx, spec)))));
	const decides: number[] = [];
	for (let i = 0; i < 3; i++) decides.push(await decideAll(spec));
	const { id } = await submitPipeline(ctx, { document });
	const stored = await db.select({ runs: pipeline.runs }).from(pipeline);
	const lists: number[] = [];
	for (let i = 0; i < ROUNDS; i++) {
		lists.push(await timed(() => listPipelines(ctx, {})));
		lists.push(await timed(() => listRuns(ctx, { id, after: i * 100, limit: 100 })));
	}
	print(args.json, `A pipeline of ${STEPS} steps, ms of processor time`, {
		...{ steps: stored[0]?.runs ?? 0, decideMs: round(quantile(decides, 0.5)), listP95Ms: round(quantile(lists, 0.95)) },
		...{ quoteMs: round(quantile(quotes, 0.5)), quoteBlockMs: round(quantile(blocks, 0.5)), parseMs: round(parseMs) },
	});
} finally {
	await connection.end();
	await postgres.stop();
}
