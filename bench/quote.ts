/**
 * Quotes while many jobs wait: `npm run bench:quote [-- --json] [--pending N] [--rounds N] [--single N]`.
 * Runs in process, over a throwaway PostgreSQL in which N jobs wait for 256 busy GPUs, with the shipped catalog of offers and 10,000 past
 * runs. Quotes are requested as by a form while a person types (`typed`), as by a person who pauses between two quotes (`paused`), after
 * ten minutes without requests and with nothing kept ready, as just after a start (`cold`), and after such a silence while moments are kept
 * ready, as in the web server (`silent`; the clocks are advanced, and the next moment is awaited).
 * Prints p50 and p95 in ms of wall-clock time, from the moment a quote was due, and as CPU time of this process during it (excluding
 * PostgreSQL). `typedCpuShare` and `silentCpuShare` are the share of one core that all of it uses, including work between two quotes.
 * `input…` is the time to keep the inputs of a decision among so many jobs for later: the first one, and one after another job was
 * submitted. Nothing is asserted.
 */
import { parseArgs } from "node:util";
import { type Connection, connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { reason } from "#server/domain/reasons.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { catalogOffers } from "#server/rates/catalogue-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { newInputMemory, recordInput } from "#server/services/decision/explain/record-input.ts";
import { askQuote } from "#server/services/decision/quote/ask.ts";
import { keepQuotesReady } from "#server/services/decision/quote/decide-asked.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { refreshOffers } from "#server/services/pricing/offer/refresh.ts";
import { placeHome } from "#server/services/work/job/place-home.ts";
import { submitJobs } from "#server/services/work/job/submit.ts";
import { startThrowawayPostgres } from "../scripts/test-postgres.mjs";
import { print, quantile, round } from "./lib/figures.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		pending: { type: "string", default: "10000" },
		rounds: { type: "string", default: "100" },
		single: { type: "string", default: "20" },
	},
});
const PENDING = Number(args.pending);
const WARM_UP = 10;
/** A form requests a quote when typing has paused for this long. */
const TYPING_MS = 300;
/** A moment is kept ready over such a pause, and dropped over a long one (services/quote/decide-asked). */
const THINKING_MS = 3_500;
const SILENCE_MS = 10 * MINUTE_MS;
/** Long enough to prepare a moment during the silence, plus up to as much again. */
const SILENT_MS = 12_000;
const SILENT_MORE_MS = 6_000;
const BATCH = 1_000;
const HOME = { nodes: 32, gpusPerNode: 8 };
const PAST_RUNS = 10_000;

const TEAMS = ["risk", "vision", "genomics", "forecasting", "search"];
const MODELS = ["A100-80GB", "H100-80GB", "L4-24GB", "A10G-24GB"];
const POLICY = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - id: sensitive-stays-home
      when: job.class == "sensitive"
      deny: { sites: [cloud] }
    - id: burst-on-wait
      burst: { after: { forecastWait: 30m }, or: { deadlineSlack: 2h } }
    - id: spot-for-experiments
      when: job.class == "experimental"
      require: { capacityType: spot }
    - id: ask-first
      when: quote.costUsd > 2000.0
      require: { approval: platform }
  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: 50000, atCap: hold }
  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 80 }
`;

/** A job as a person would type it, different every time. */
function drawnJob(random: Random, name: string): unknown {
	const hours = random.pick([1, 1, 2, 3, 6, 12, 24]);
	return {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name, team: random.pick(TEAMS) },
		spec: {
			class: random.pick(WORKLOAD_CLASSES),
			command: ["python", "train.py"],
			resources: {
				gpus: random.pick([1, 1, 1, 2, 4, 8]),
				accelerators: random.pick([[], ["A100-80GB"], [random.pick(MODELS), "A100-80GB"]]),
			},
			duration: { estimate: `${hours}h` },
			priority: random.int(0, 100),
			...(random.int(0, 2) === 0 ? { deadline: new Date(Date.now() + random.int(hours, 72) * HOUR_MS).toISOString() } : {}),
		},
	};
}

async function fill(connection: Connection): Promise<void> {
	const { db, sql } = connection;
	const ctx = systemContext(db, systemClock, "seed");
	await sql`insert into site (id, name, provider, settings, healthy)
		values ('home', 'home', 'slurm', '{}', true), ('aws', 'aws', 'aws', '{}', true), ('azure', 'azure', 'azure', '{}', true), ('gcp', 'gcp', 'gcp', '{}', true)`;
	await sql`insert into pool (id, site_id, accelerator, nodes, gpus_per_node, unavailable_slots, micro_usd_per_gpu_hour, watts_per_gpu, owned_since)
		values ('gpu', 'home', 'A100-80GB', ${HOME.nodes}, ${HOME.gpusPerNode}, '{}', 1100000, 400, now() - interval '1 year')`;
	await sql`insert into team (name) select unnest(${TEAMS}::text[])`;
	await publishPolicy(ctx, { name: "default", message: "bench", source: POLICY });
	await refreshOffers(db, catalogOffers(Date.now()), Date.now());
	const random = seededRandom("quote bench");
	await fillHome(connection, random);
	for (let i = 0; i < PENDING; i += BATCH) {
		const count = Math.min(BATCH, PENDING - i);
		const names = Array.from({ length: count }, (_, k) => `train-v${(i + k) % 97}`);
		await submitJobs(
			ctx,
			names.map((name) => parseJobDocument(drawnJob(random, name))),
		);
	}
	await sql`update job set pending_since = pending_since - random() * interval '20 hours' where state = 'queued'`;
	await sql`
		insert into job (id, name, team, project, class, priority, gpus, spec, state, reason, attempts, submitted_by, submitted_at, pending_since, started_at, finished_at)
		select 'job_' || lpad(n::text, 26, '0'), name, team, project, class, priority, gpus, spec, 'succeeded', '{"code":"completed","facts":{}}', 1, submitted_by,
			now() - n * interval '4 minutes' - length, now() - n * interval '4 minutes' - length, now() - n * interval '4 minutes' - length, now() - n * interval '4 minutes'
		from (select row_number() over (order by id) as n, *, (0.3 + 1.2 * random()) * ((spec->'duration'->>'estimateMs')::float8 / 1000) * interval '1 second' as length
			from job where state = 'queued') as past where n <= ${PAST_RUNS}`;
	await sql`analyze`;
}

/** Every slot at home is held by a running job. */
async function fillHome({ db, sql }: Connection, random: Random): Promise<void> {
	const ctx = systemContext(db, systemClock, "seed");
	const slots = Array.from({ length: HOME.nodes * HOME.gpusPerNode }, (_, slot) => slot);
	const documents = slots.map((slot) => {
		const document = drawnJob(random, `runs-${slot}`) as { spec: { resources: unknown } };
		return { ...document, spec: { ...document.spec, resources: { gpus: 1 } } };
	});
	const ids = await submitJobs(ctx, documents.map(parseJobDocument));
	const nowMs = systemClock.nowMs();
	for (const slot of slots) {
		const placed = { jobId: ids[slot] ?? "", attemptNo: 1, siteId: "home", provider: "slurm", poolId: "gpu", slots: [slot] } as const;
		await db.transaction((tx) => placeHome(tx, { ...placed, slots: [slot], reason: reason("placed_home"), nowMs }));
	}
	await sql`update attempt set state = 'running', started_at = now() - random() * interval '2 hours'`;
	await sql`update job set state = 'running', started_at = now() where state = 'admitted'`;
}

/** Time to keep the inputs of a decision (services/explain): all of them, and again after one more job was submitted. */
async function keepInputs({ db, sql }: Connection): Promise<Record<string, number>> {
	const ctx = { ...systemContext(db, systemClock, "seed"), timing: timingSchema.parse({}) };
	const cache = new SnapshotCache();
	const memory = newInputMemory();
	const keep = async (): Promise<{ ms: number; kib: number }> => {
		const { snapshot } = await loadSnapshot(ctx, cache);
		const began = performance.now();
		await recordInput(db, snapshot, memory);
		const ms = performance.now() - began;
		const [row] = await sql<{ kib: number }[]>`select sum(octet_length(body))::float8 / 1024 as kib from decision_part`;
		return { ms, kib: row?.kib ?? 0 };
	};
	const first = await keep();
	await submitJobs(ctx, [parseJobDocument(drawnJob(seededRandom("one more"), "one-more"))]);
	const next = await keep();
	return {
		inputFirstKiB: round(first.kib),
		inputFirstMs: round(first.ms),
		inputNextKiB: round(next.kib - first.kib),
		inputNextMs: round(next.ms),
	};
}

interface Sample {
	wallMs: number;
	cpuMs: number;
}

/** A request made while other work is running must wait for it, so the time counts from when the quote was due. */
async function askAll(
	count: number,
	pauseMs: (i: number) => number,
	ask: (i: number, dueMs: number) => Promise<Sample>,
): Promise<Sample[]> {
	const samples: Sample[] = [];
	for (let i = 0; i < count; i++) {
		const ms = pauseMs(i);
		const dueMs = performance.now() + ms;
		await new Promise((resolve) => setTimeout(resolve, ms));
		samples.push(await ask(i, dueMs));
	}
	return samples;
}

/** Share of one core that concurrent work uses. */
async function withShare<T>(run: () => Promise<T>): Promise<[T, number]> {
	const began = Date.now();
	const cpuBegan = process.cpuUsage();
	const done = await run();
	const { user, system } = process.cpuUsage(cpuBegan);
	return [done, (user + system) / 1_000 / (Date.now() - began)];
}

function figuresOf(what: string, samples: readonly Sample[]): Record<string, number> {
	const [wall, cpu] = [samples.map((s) => s.wallMs), samples.map((s) => s.cpuMs)];
	return {
		[`${what}P50Ms`]: round(quantile(wall, 0.5)),
		[`${what}P95Ms`]: round(quantile(wall, 0.95)),
		[`${what}SlowestMs`]: round(Math.max(...wall)),
		[`${what}CpuP50Ms`]: round(quantile(cpu, 0.5)),
		[`${what}CpuP95Ms`]: round(quantile(cpu, 0.95)),
	};
}

const postgres = await startThrowawayPostgres();
const url = new URL(postgres.url);
url.pathname = "/bench_quote";
await migrate(url.href);
const connection = connect(url.href);

try {
	await fill(connection);
	let movedOnMs = 0;
	const ctx = { ...systemContext(connection.db, { nowMs: () => systemClock.nowMs() + movedOnMs }), timing: timingSchema.parse({}) };
	const realNow = performance.now.bind(performance);
	performance.now = () => realNow() + movedOnMs;
	const random = seededRandom("quotes");
	let suggestions = 0;
	const ask = async (name: string, dueMs = performance.now()): Promise<Sample> => {
		const spec = parseJobDocument(drawnJob(random, name));
		const cpuBegan = process.cpuUsage();
		const quote = await askQuote(ctx, spec);
		const wallMs = performance.now() - dueMs;
		const { user, system } = process.cpuUsage(cpuBegan);
		suggestions += quote.suggestions.length;
		return { wallMs, cpuMs: (user + system) / 1_000 };
	};
	for (let i = 0; i < WARM_UP; i++) await ask(`warm-up-${i}`);
	suggestions = 0;
	const rounds = Number(args.rounds);
	const single = Number(args.single);
	const [typed, typedCpuShare] = await withShare(() =>
		askAll(
			rounds,
			() => TYPING_MS,
			(i, dueMs) => ask(`typed-${i}`, dueMs),
		),
	);
	const paused = await askAll(
		single,
		() => THINKING_MS,
		(i, dueMs) => ask(`paused-${i}`, dueMs),
	);
	const cold = await askAll(
		single,
		() => THINKING_MS,
		(i) => {
			movedOnMs += SILENCE_MS;
			return ask(`cold-${i}`);
		},
	);
	const end = new AbortController();
	keepQuotesReady(ctx, end.signal);
	const [silent, silentCpuShare] = await withShare(async () => {
		const samples: Sample[] = [];
		for (let i = 0; i < single; i++) {
			movedOnMs += SILENCE_MS;
			samples.push(
				...(await askAll(
					1,
					() => SILENT_MS + random.int(0, SILENT_MORE_MS),
					(_, dueMs) => ask(`silent-${i}`, dueMs),
				)),
			);
		}
		return samples;
	});
	end.abort();
	const asked = [typed, paused, cold, silent].reduce((sum, { length }) => sum + length, 0);
	print(args.json, `Quotes with ${PENDING} jobs waiting, ms`, {
		pending: PENDING,
		offers: catalogOffers(Date.now()).length,
		quotes: asked,
		suggestionsPerQuote: round(suggestions / asked, 2),
		...figuresOf("typed", typed),
		typedCpuShare: round(typedCpuShare, 3),
		...figuresOf("paused", paused),
		...figuresOf("cold", cold),
		...figuresOf("silent", silent),
		silentCpuShare: round(silentCpuShare, 3),
		...(await keepInputs(connection)),
	});
} finally {
	await connection.end();
	await postgres.stop();
}
