import path from "node:path";
import { eq } from "drizzle-orm";
import { CheckpointSync } from "#server/agent/checkpoint-sync.ts";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { restoreCheckpoint } from "#server/agent/restore-checkpoint.ts";
import { uploadOutputs } from "#server/agent/upload-outputs.ts";
import { ResultDeliveries } from "#server/control-loop/result-deliveries.ts";
import type { Db } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { resultDelivery } from "#server/db/schema/delivery-target.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { aSpec, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { drawFiles, type Files, filesIn, writeFiles } from "./kill-files.ts";
import { interrupt, type Machine, type StoreWorld } from "./store-world.ts";

export const KILL_STEPS = ["save", "restore", "upload", "deliver"] as const;
export type KillStep = (typeof KILL_STEPS)[number];
const VICTIMS = ["agent", "store", "control"] as const;

/** What a seed did, and the guarantees it violated. */
export interface KillResult {
	seed: number;
	step: KillStep;
	/** The victim and the request of that step; null when the step ended first. */
	killed: string | null;
	completeCheckpointsLost: number;
	partialRestores: number;
	resultsLost: number;
}

interface Scene {
	world: StoreWorld;
	db: Db;
	folder: string;
	random: Random;
	step: KillStep;
	killed: string | null;
}

const OUTPUT: OutputSpec = { name: "model", path: "out", kind: "model", when: "success", keepMs: null };
const RANKS = 2;
const silent = (): void => {};
const never = new AbortController().signal;

/** Runs one job with a kill at a random request of one step. Everything afterwards runs undisturbed, as after a restart. */
export async function runKill(world: StoreWorld, db: Db, folder: string, seed: number): Promise<KillResult> {
	const random = seededRandom(seed);
	const step = random.pick(KILL_STEPS);
	const scene: Scene = { world, db, folder: path.join(folder, `seed-${seed}`), random, step, killed: null };
	const broken = { completeCheckpointsLost: 0, partialRestores: 0, resultsLost: 0 };
	if (step === "save" || step === "restore") Object.assign(broken, await runCheckpoints(scene));
	else broken.resultsLost = await runResult(scene);
	return { seed, step, killed: scene.killed, ...broken };
}

async function runCheckpoints(scene: Scene): Promise<{ completeCheckpointsLost: number; partialRestores: number }> {
	const { world, db, random } = scene;
	const spec = aSpec({ nodes: RANKS, checkpoint: { path: "/ckpt", intervalMs: 60_000, ranks: "all", keep: 3 } });
	const jobId = await seedJob(db, spec);
	const machines = await world.machines(jobId, 1, RANKS, silent);
	const syncs = machines.map((machine) => syncOf(machine));
	const first = await saveStep(scene, { machines, syncs, step: 1, signal: never });
	const steps = new Map([[1, first.files]]);
	const acknowledged = [1];
	if (scene.step === "save") {
		const second = await withKill(scene, (signal) => saveStep(scene, { machines, syncs, step: 2, signal }));
		steps.set(2, second.files);
		if (second.complete) acknowledged.push(2);
	}
	await interrupt(machines);
	const recorded = await db.select({ step: checkpoint.step }).from(checkpoint).where(eq(checkpoint.jobId, jobId));
	const lost = acknowledged.filter((step) => !recorded.some((row) => row.step === step)).length;
	const newest = Math.max(...recorded.map((row) => row.step ?? 0));

	let partial = 0;
	let attempt = 2;
	if (scene.step === "restore") {
		const restorers = await world.machines(jobId, attempt++, RANKS, silent);
		const results = await withKill(scene, (signal) => Promise.all(restorers.map((machine) => restore(machine, signal))));
		partial += results.filter((found) => found !== null && !isSame(found, steps.get(newest))).length;
		await interrupt(restorers);
	}
	const restorers = await world.machines(jobId, attempt, RANKS, silent);
	const found = await Promise.all(restorers.map((machine) => restore(machine, never)));
	partial += found.filter((files) => files !== null && !isSame(files, steps.get(newest))).length;
	return { completeCheckpointsLost: lost + found.filter((files) => files === null).length, partialRestores: partial };

	async function restore({ client, rank, terms, home }: Machine, signal: AbortSignal): Promise<Files | null> {
		if (!terms.checkpoint) return null;
		const target = path.join(home, `restored-${random.int(0, 1e9)}`);
		try {
			const done = await restoreCheckpoint(client, {
				...{ checkpoint: terms.checkpoint, folder: target, rank, rclone: rcloneOfHost, signal, log: silent },
			});
			// An interrupted restore is not a start: the command starts only after this returns.
			return done === null ? null : await filesIn(target);
		} catch (error) {
			if (signal.aborted || signal !== never) return null;
			throw error;
		}
	}
}

function syncOf(machine: Machine): CheckpointSync {
	return new CheckpointSync({
		...{ client: machine.client, folder: machine.home, restored: "[]", allRanks: true, rclone: rcloneOfHost, log: silent },
	});
}

/** All ranks write a step and save it. `complete`: every rank received confirmation that its part is committed. */
async function saveStep(
	{ random }: Scene,
	{ machines, syncs, step, signal }: { machines: readonly Machine[]; syncs: readonly CheckpointSync[]; step: number; signal: AbortSignal },
): Promise<{ files: Files; complete: boolean }> {
	const all: Files = new Map();
	const saves = machines.map(async (machine, i) => {
		const files = drawFiles(random.fork(`${step}/${i}`), `step-${step}/__${machine.rank}`);
		for (const [name, content] of files) all.set(name, content);
		await writeFiles(machine.home, files);
		return (await syncs[i]?.upload(signal)) ?? null;
	});
	const done = await Promise.allSettled(saves);
	return { files: all, complete: done.every((save) => save.status === "fulfilled" && save.value !== null) };
}

/** Returns the number of lost results: not recorded after all attempts, not delivered, or different from what the job wrote. */
async function runResult(scene: Scene): Promise<number> {
	const { world, db, random, folder } = scene;
	const target = `models/${path.basename(folder)}`;
	const output = { ...OUTPUT, to: `home:/${target}` };
	const jobId = await seedJob(db, aSpec({ outputs: [output] }));
	const files = drawFiles(random.fork("output"), "weights");
	let problem: string | null = "not uploaded";
	for (let attempt = 1; problem !== null && attempt <= 2; attempt++) {
		const [machine] = await world.machines(jobId, attempt, 1, silent);
		if (!machine) throw new Error("a machine");
		await writeFiles(path.join(machine.home, OUTPUT.path), files);
		const upload = (signal: AbortSignal) =>
			uploadOutputs({ client: machine.client, workFolder: machine.home, rclone: rcloneOfHost, signal, log: silent }, [output]);
		problem = scene.step === "upload" && attempt === 1 ? await withKill(scene, upload) : await upload(never);
		if (problem !== null) await interrupt([machine]);
	}
	if (problem !== null) return 1;
	const [row] = await db.select().from(artifact).where(eq(artifact.jobId, jobId));
	if (!row) return 1;
	if (scene.step === "deliver") await withKill(scene, (signal) => deliver(scene, signal));
	// The next retry is due by then.
	await deliver(scene, never, DAY_MS);
	const [delivered] = await db.select({ state: resultDelivery.state }).from(resultDelivery).where(eq(resultDelivery.artifactId, row.id));
	const arrived = await filesIn(path.join(homeRoot(scene), target));
	return delivered?.state === "delivered" && isSame(arrived, files) ? 0 : 1;
}

async function deliver(scene: Scene, signal: AbortSignal, aheadMs = 0): Promise<void> {
	const { world, db } = scene;
	const ctx = { db, clock: { nowMs: () => Date.now() + aheadMs }, log: silent, stores: world.stores, artifactRoot: world.artifactRoot };
	const refuse = () => Promise.reject(new Error("results in a store are not copied by this"));
	const copier = { copy: refuse, add: refuse };
	const deliveries = new ResultDeliveries(ctx, { homeRoot: homeRoot(scene), copier }, signal);
	await deliveries.tend();
	await deliveries.done();
}

function homeRoot({ folder }: Scene): string {
	return path.join(path.dirname(folder), "home");
}

/** Runs one step with a kill at a random request, and removes the kill afterwards. */
async function withKill<T>(scene: Scene, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const { world, random } = scene;
	const who = random.pick(VICTIMS);
	const at = random.int(1, 8);
	const down = random.int(1, 3);
	const when = random.pick(["before", "after"] as const);
	const agent = new AbortController();
	let requests = 0;
	/** Whether the request reaches the victim while it is down. */
	const isHit = (): boolean => {
		requests += 1;
		if (requests < at || requests >= at + down) return false;
		scene.killed = `${who} at request ${at} ${who === "control" ? when : ""}`.trim();
		return true;
	};
	if (who === "store") world.objects.dies = isHit;
	else if (who === "control") world.cut = () => (isHit() ? when : null);
	else {
		const onRequest = (): boolean => {
			if (isHit()) agent.abort(new Error("killed"));
			return false;
		};
		world.objects.dies = onRequest;
		world.cut = () => (onRequest() ? "before" : null);
	}
	try {
		return await run(agent.signal);
	} finally {
		world.objects.dies = () => false;
		world.cut = () => null;
	}
}

function isSame(found: Files, expected: Files | undefined): boolean {
	if (found.size !== expected?.size) return false;
	return [...found].every(([name, content]) => expected.get(name)?.equals(content));
}
