/**
 * A home cluster under watch: `npm run bench:clusters [-- --json] [--pending N] [--watch SECONDS] [--submissions N]`, as root on Debian
 * with Slurm's packages. Uses a real Slurm on this host. Measures how soon a foreign job is seen, what watching costs the controller while
 * many jobs wait, and submissions through the driver compared with the same ones sent directly to slurmrestd. Submissions are measured with
 * all cores shared, and again with the controller on its own core, as on another machine.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { assert } from "#server/kernel/assert.ts";
import { attemptIdOf } from "#server/kernel/ids.ts";
import type { StartAttempt } from "#server/providers/driver.ts";
import { SlurmDriver } from "#server/providers/slurm/driver.ts";
import { sendHttp } from "#server/providers/slurm/http.ts";
import { submissionOf } from "#server/providers/slurm/submission.ts";
import { type SlurmCluster, startSlurm } from "#server/providers/slurm/testing/slurm-cluster.ts";
import { whyNoSlurm } from "#server/providers/slurm/testing/slurm-programs.ts";
import { print, quantile, round } from "./lib/figures.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		pending: { type: "string", default: "10000" },
		watch: { type: "string", default: "120" },
		submissions: { type: "string", default: "400" },
		rounds: { type: "string", default: "5" },
	},
});
const PENDING = Number(args.pending);
const WATCH_MS = Number(args.watch) * 1_000;
const SUBMISSIONS = Number(args.submissions);
const ROUNDS = Number(args.rounds);

/** How often a scheduler polls a site. */
const TICK_MS = 1_000;
const SEEN_SAMPLES = 20;
/** The same values as in the driver. */
const CONNECTIONS = 8;
/** On a busy host one listing among many others takes long, and must still be measured. */
const ANSWER_TIMEOUT_MS = 120_000;
const NODES = 8;
const GPUS_PER_NODE = 64;
const TICKS_PER_SECOND = 100;
const POOL = `gpu-h100x${GPUS_PER_NODE}`;

const SPEC = parseJobDocument({
	apiVersion: "spillway/v1",
	kind: "Job",
	metadata: { name: "bench", team: "research" },
	spec: { command: ["true"], resources: { gpus: 1 }, duration: { max: "1h" } },
});

const missing = whyNoSlurm();
if (missing !== null) {
	process.stderr.write(`There is no Slurm to measure: ${missing}\n`);
	process.exit(2);
}
assert(SUBMISSIONS <= NODES * GPUS_PER_NODE, `at most ${NODES * GPUS_PER_NODE} submissions: each has its own GPU`);
let slurm: SlurmCluster;
let token: string;

const { shared, seenMs, load, seenFullMs } = await onNewCluster(async () => {
	const shared = await measureSubmissions();
	const seenMs = await measureSeen();
	await fill(PENDING);
	const load = await measureWatch();
	return { shared, seenMs, load, seenFullMs: await measureSeen() };
});
// On another cluster, because a controller remembers jobs for minutes after their end and would have more of them to report.
const apart = availableParallelism() > 1 ? await onNewCluster(() => onCoresApart(measureSubmissions)) : null;
print(args.json, "A home cluster (Slurm) under watch", {
	measuredAt: new Date().toISOString(),
	seenP50Ms: round(quantile(seenMs, 0.5), 0),
	seenP95Ms: round(quantile(seenMs, 0.95), 0),
	pending: PENDING,
	seenAmongPendingP50Ms: round(quantile(seenFullMs, 0.5), 0),
	seenAmongPendingP95Ms: round(quantile(seenFullMs, 0.95), 0),
	controllerPercentOfCore: round(load.controller - load.controllerAlone, 2),
	controllerPercentOfCoreAlone: round(load.controllerAlone, 2),
	restPercentOfCore: round(load.rest, 2),
	bareSubmissionsPerSecond: round(shared.bare, 0),
	driverSubmissionsPerSecond: round(shared.driver, 0),
	driverPercentOfBare: round(shared.percent, 0),
	...(apart && {
		bareOnCoresApartPerSecond: round(apart.bare, 0),
		driverOnCoresApartPerSecond: round(apart.driver, 0),
		driverPercentOfBareOnCoresApart: round(apart.percent, 0),
	}),
});

async function onNewCluster<T>(run: () => Promise<T>): Promise<T> {
	slurm = await startSlurm({ nodes: NODES, gpusPerNode: GPUS_PER_NODE });
	try {
		token = await slurm.token(86_400);
		return await run();
	} finally {
		await slurm.stop();
	}
}

async function newDriver(name: string): Promise<SlurmDriver> {
	const folder = path.join(slurm.shared, name);
	const file = path.join(slurm.shared, "..", "token");
	await mkdir(folder, { recursive: true });
	await writeFile(file, token, { mode: 0o600 });
	// The partition is named so that it counts while it is down.
	const settings = { url: slurm.url, user: "root", token: { file }, folder, accelerators: { h100: "H100-80GB" } };
	return new SlurmDriver("home", { ...settings, partitions: ["gpu"], answerTimeoutMs: ANSWER_TIMEOUT_MS });
}

/** From a job's submission until the driver sees it, polling as often as a scheduler does. */
async function measureSeen(): Promise<number[]> {
	const driver = await newDriver("seen");
	await driver.observe();
	const latencies: number[] = [];
	for (let i = 0; i < SEEN_SAMPLES; i++) {
		// Anywhere between two polls.
		const looks = watch(driver, (i / SEEN_SAMPLES) * TICK_MS);
		const id = await submitBare({ hold: true });
		const atMs = performance.now();
		for await (const jobs of looks) {
			if (!jobs.some((job) => job.id === String(id))) continue;
			latencies.push(performance.now() - atMs);
			break;
		}
	}
	await driver.close({ stopJobs: false, graceMs: 0 });
	return latencies;
}

async function* watch(driver: SlurmDriver, firstAfterMs: number) {
	for (let waitMs = firstAfterMs; ; waitMs = TICK_MS) {
		await sleep(waitMs);
		yield (await driver.observe()).foreign?.jobs ?? [];
	}
}

/** Processor time of the controller alone, and then with a polling driver, as a share of one core, percent. */
async function measureWatch(): Promise<{ controller: number; controllerAlone: number; rest: number }> {
	const [controller, rest] = [await pidOf(slurm, "slurmctld"), await pidOf(slurm, "slurmrestd")];
	const during = async (run: (untilMs: number) => Promise<void>) => {
		const [begunMs, c, r] = [performance.now(), await secondsOf(controller), await secondsOf(rest)];
		await run(begunMs + WATCH_MS);
		const seconds = (performance.now() - begunMs) / 1_000;
		return { controller: (100 * ((await secondsOf(controller)) - c)) / seconds, rest: (100 * ((await secondsOf(rest)) - r)) / seconds };
	};
	const alone = await during(async (untilMs) => void (await sleep(untilMs - performance.now())));
	const driver = await newDriver("watched");
	// The first listing happens only once in a driver's life.
	await driver.observe();
	const watched = await during(async (untilMs) => {
		for (let n = 0; performance.now() < untilMs; n++) {
			// A changing queue, because an unchanged one is not listed again.
			if (n % 2 === 0) await submitBare({ hold: true });
			await driver.observe();
			await sleep(TICK_MS);
		}
	});
	await driver.close({ stopJobs: false, graceMs: 0 });
	return { controller: watched.controller, controllerAlone: alone.controller, rest: watched.rest };
}

/** The same submissions directly and through the driver, alternating; nothing starts meanwhile. */
async function measureSubmissions(): Promise<{ bare: number; driver: number; percent: number }> {
	await slurm.command("scontrol", "update", "PartitionName=gpu", "State=DOWN");
	const rounds: { bare: number; driver: number }[] = [];
	for (let n = 0; n <= ROUNDS; n++) {
		const driver = await newDriver(`round-${n}`);
		await driver.observe();
		const throughDriver = await perSecond(async () => {
			await Promise.all(Array.from({ length: SUBMISSIONS }, (_, i) => driver.start(startOf(`${n}-${i}`, i))));
		});
		const bare = await perSecond(() => inParallel(SUBMISSIONS, () => submitBare({ hold: false })));
		await driver.close({ stopJobs: false, graceMs: 0 });
		await slurm.command("scancel", "--user=root");
		// The first pass warms everything up.
		if (n > 0) rounds.push({ bare, driver: throughDriver });
	}
	await slurm.command("scontrol", "update", "PartitionName=gpu", "State=UP");
	const median = (of: (r: (typeof rounds)[number]) => number) => quantile(rounds.map(of), 0.5);
	return { bare: median((r) => r.bare), driver: median((r) => r.driver), percent: median((r) => (100 * r.driver) / r.bare) };
}

/**
 * Puts the cluster's daemons on one core and this process on the others, as on two machines, so that neither uses the other's processor
 * time.
 */
async function onCoresApart<T>(run: () => Promise<T>): Promise<T> {
	const all = `0-${availableParallelism() - 1}`;
	const daemons = [await pidOf(slurm, "slurmctld"), await pidOf(slurm, "slurmrestd")];
	const place = async (cores: string, pids: number[]) => {
		for (const pid of pids) await slurm.command("taskset", "--all-tasks", "--cpu-list", "--pid", cores, String(pid));
	};
	await place("0", daemons);
	await place(all.replace(/^0/, "1"), [process.pid]);
	try {
		return await run();
	} finally {
		await place(all, [...daemons, process.pid]);
	}
}

async function perSecond(run: () => Promise<void>): Promise<number> {
	const begunMs = performance.now();
	await run();
	return SUBMISSIONS / ((performance.now() - begunMs) / 1_000);
}

async function inParallel(count: number, run: () => Promise<unknown>): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next++ < count) await run();
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

function startOf(name: string, slot: number): StartAttempt {
	const jobId = `job_bench${name.replace("-", "x")}`;
	return { attemptId: attemptIdOf(jobId, 1), jobId, attemptNo: 1, spec: SPEC, poolId: POOL, slots: [slot], restoreFrom: null };
}

/** Sends what the driver sends, with the same client and nothing around it. Returns the job's number. */
async function submitBare({ hold }: { hold: boolean }): Promise<number> {
	const pool = {
		...{ id: POOL, partition: "gpu", partitions: new Set(["gpu"]), gresType: "h100", accelerator: "H100-80GB" },
		...{ gpusPerNode: GPUS_PER_NODE, maxTimeMs: null, nodes: [] },
	};
	const place = { script: "#!/bin/sh\nexec /bin/true\n", folder: "/tmp", slurmLog: "/dev/null" };
	const body = submissionOf("v0.0.38", { attemptId: "bench", spec: SPEC, pool, settings: {}, environment: { PATH: "/bin" }, ...place });
	const { script, job } = body as { script: string; job: Record<string, unknown> };
	const { text } = await sendHttp({
		method: "POST",
		url: `${slurm.url}/slurm/v0.0.38/job/submit`,
		headers: { "content-type": "application/json", "x-slurm-user-name": "root", "x-slurm-user-token": token },
		body: JSON.stringify({ script, job: { ...job, name: "theirs", ...(hold ? { hold: true } : {}) } }),
		timeoutMs: ANSWER_TIMEOUT_MS,
		bytesMax: 1_000_000,
	});
	const answer = JSON.parse(text) as { job_id?: number };
	assert(answer.job_id, `slurmrestd took no job: ${JSON.stringify(answer)}`);
	return answer.job_id;
}

async function fill(count: number): Promise<void> {
	await inParallel(count, () => submitBare({ hold: true }));
	const waiting = (await slurm.command("squeue", "-h", "-t", "PD", "-o", "%i")).split("\n").length;
	assert(waiting >= count, `${waiting} jobs wait instead of ${count}`);
}

async function pidOf(cluster: SlurmCluster, program: string): Promise<number> {
	return Number(await cluster.command("pgrep", "-n", "-x", program));
}

/** Processor seconds of a process so far, on Linux. */
async function secondsOf(pid: number): Promise<number> {
	const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
