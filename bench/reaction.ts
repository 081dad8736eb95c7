/**
 * How soon the product reacts: `npm run bench:reaction [-- --json] [--home N] [--bursts N]`.
 * home: from the moment a job is posted until its command runs on a free slot. burst: with all slots taken, from the moment a job is posted
 * until the provider is called for its machine. One job after another, on an idle system.
 */
import { parseArgs } from "node:util";
import { print, quantile, round } from "./lib/figures.ts";
import { jobDocument } from "./lib/jobs.ts";
import { startSystem, until } from "./lib/system.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		home: { type: "string", default: "200" },
		bursts: { type: "string", default: "30" },
	},
});
const SLOTS = 4;
const WARM_UP = 10;

const system = await startSystem({ scheduler: true });
const { sql } = system.connection;

async function submit(document: unknown): Promise<{ id: string; postedMs: number }> {
	const postedMs = Date.now();
	const answer = await fetch(`${system.url}/api/v1/jobs`, {
		method: "POST",
		headers: { authorization: `Bearer ${system.token}`, "content-type": "application/json" },
		body: JSON.stringify(document),
	});
	if (answer.status !== 201) throw new Error(`the job was refused: ${await answer.text()}`);
	const { id } = (await answer.json()) as { id: string };
	return { id, postedMs };
}

async function timeUntil(jobId: string, postedMs: number, read: (jobId: string) => Promise<Date | null | undefined>): Promise<number> {
	const seen: Date[] = [];
	const look = async (): Promise<boolean> => {
		const at = await read(jobId);
		if (at) seen.push(at);
		return seen.length > 0;
	};
	await until(look, "the job gets there", 30_000, 5);
	return (seen[0]?.getTime() ?? Number.NaN) - postedMs;
}

const startedAt = async (id: string) =>
	(await sql<{ at: Date | null }[]>`select started_at as at from attempt where job_id = ${id}`)[0]?.at;
const requestedAt = async (id: string) =>
	(await sql<{ at: Date | null }[]>`select requested_at as at from instance where job_id = ${id}`)[0]?.at;
const ended = (id: string) => async () => (await sql`select 1 from job where id = ${id} and finished_at is not null`).length > 0;

try {
	const home: number[] = [];
	for (let i = 0; i < WARM_UP + Number(args.home); i++) {
		const { id, postedMs } = await submit(jobDocument({ name: `home-${i}`, class: "sensitive" }));
		const ms = await timeUntil(id, postedMs, startedAt);
		if (i >= WARM_UP) home.push(ms);
		await until(ended(id), "the job has ended");
	}
	for (let i = 0; i < SLOTS; i++)
		await submit(jobDocument({ name: `filler-${i}`, class: "sensitive", command: ["sleep", "500"], estimate: "500s" }));
	await until(async () => (await sql`select 1 from job where state = 'running'`).length === SLOTS, "the slots are taken");
	const burst: number[] = [];
	for (let i = 0; i < Number(args.bursts); i++) {
		const { id, postedMs } = await submit(jobDocument({ name: `burst-${i}` }));
		burst.push(await timeUntil(id, postedMs, requestedAt));
		await until(ended(id), "the job has ended", 60_000);
	}
	print(args.json, "Reaction, ms", {
		submitToRunningP50Ms: round(quantile(home, 0.5)),
		submitToRunningP99Ms: round(quantile(home, 0.99)),
		fullToLaunchP50Ms: round(quantile(burst, 0.5)),
		fullToLaunchP99Ms: round(quantile(burst, 0.99)),
		homeSamples: home.length,
		burstSamples: burst.length,
	});
} finally {
	await system.stop();
}
