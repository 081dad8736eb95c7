import { type ChildProcess, execFile, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { environmentOf } from "#server/agent/rclone/run.ts";
import { interrupt, type Machine, STORE_BUCKET, STORE_KEYS, StoreWorld } from "#server/chaos/stores/store-world.ts";
import type { Db } from "#server/db/client.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import { aSpec, seedJob } from "#server/services/work/agent/testing/seed.ts";
import type { RankAnswer, RankOrder } from "./data-rank.ts";

export interface DataSizes {
	ranks: number;
	bytesPerRank: number;
	artifactBytes: number;
}

/** `shareOfRclone`: speed as a share of plain `rclone copy` with the same files at the same time, in the same run. */
export interface DataFigures {
	checkpoint: { ranks: number; bytes: number; seconds: number; bytesThroughControlPlane: number; shareOfRclone: number };
	artifact: { bytes: number; seconds: number; shareOfRclone: number };
	restore: { bytes: number; seconds: number };
}

const STEP = "step-100";
const OUTPUT: OutputSpec = { name: "model", path: "model", kind: "model", when: "success", keepMs: null };
const BLOCK_BYTES = 16 * 1024 ** 2;

interface Run {
	world: StoreWorld;
	db: Db;
	folder: string;
	sizes: DataSizes;
	note(text: string): void;
}

/** Saves, uploads and restores on loopback, in `folder`. Needs three times the checkpoint's bytes of disk. */
export async function measureData(db: Db, folder: string, sizes: DataSizes, note: (text: string) => void): Promise<DataFigures> {
	const world = await StoreWorld.start(db, folder);
	try {
		const run = { world, db, folder, sizes, note };
		const { jobId, checkpoint } = await measureCheckpoint(run);
		const restore = await measureRestore(run, jobId);
		return { checkpoint, artifact: await measureArtifact(run), restore };
	} finally {
		await world.close();
	}
}

async function measureCheckpoint(run: Run): Promise<{ jobId: string; checkpoint: DataFigures["checkpoint"] }> {
	const { world, db, sizes, note } = run;
	const { ranks, bytesPerRank } = sizes;
	const checkpoint = { path: "/ckpt", intervalMs: 60_000, ranks: "all" as const, restore: "own" as const };
	const jobId = await seedJob(db, aSpec({ nodes: ranks, checkpoint }));
	const machines = await world.machines(jobId, 1, ranks, note);
	for (const { rank, home } of machines) await writeFileOf(path.join(home, STEP, `__${rank}_0.distcp`), bytesPerRank);
	const homes = machines.map(({ home }) => home);
	const plain = await plainCopy(run, homes);
	note(`checkpoint by plain rclone: ${plain.toFixed(1)} s`);
	const before = world.passed.files;
	const seconds = await withRanks(machines, ({ home }) => ({ action: "save", folder: home }), world);
	for (const home of homes) await rm(home, { recursive: true });
	await interrupt(machines);
	return {
		jobId,
		checkpoint: {
			...{ ranks, bytes: ranks * bytesPerRank, seconds, bytesThroughControlPlane: world.passed.files - before },
			shareOfRclone: plain / seconds,
		},
	};
}

/** Machines of the next attempt fetch the shards of their ranks and check each against its SHA-256. */
async function measureRestore({ world, sizes, note }: Run, jobId: string): Promise<DataFigures["restore"]> {
	const machines = await world.machines(jobId, 2, sizes.ranks, note);
	const seconds = await withRanks(
		machines,
		({ home, rank, terms }) => {
			if (!terms.checkpoint) throw new Error("the checkpoint is not complete");
			return { action: "restore", folder: home, rank, checkpoint: terms.checkpoint };
		},
		world,
	);
	for (const { home } of machines) await rm(home, { recursive: true });
	return { bytes: sizes.ranks * sizes.bytesPerRank, seconds };
}

async function measureArtifact(run: Run): Promise<DataFigures["artifact"]> {
	const { world, db, sizes, note } = run;
	const jobId = await seedJob(db, aSpec({ outputs: [OUTPUT] }));
	const machines = await world.machines(jobId, 1, 1, note);
	const homes = machines.map(({ home }) => home);
	for (const home of homes) await writeFileOf(path.join(home, OUTPUT.path, "weights.safetensors"), sizes.artifactBytes);
	const plain = await plainCopy(run, homes);
	note(`artifact by plain rclone: ${plain.toFixed(1)} s`);
	const seconds = await withRanks(machines, ({ home }) => ({ action: "upload", folder: home, output: OUTPUT }), world);
	return { bytes: sizes.artifactBytes, seconds, shareOfRclone: plain / seconds };
}

/** Seconds from the orders to the last response; each machine is a process that is already running. @throws Error if one failed */
async function withRanks(
	machines: readonly Machine[],
	orderOf: (machine: Machine) => DistributiveOmit<RankOrder, "url" | "token">,
	{ url }: StoreWorld,
): Promise<number> {
	const children = machines.map(() => fork(path.join(import.meta.dirname, "data-rank.ts"), { stdio: ["ignore", "ignore", 2, "ipc"] }));
	try {
		await Promise.all(children.map((child) => new Promise((resolve) => child.once("message", resolve))));
		const beganMs = performance.now();
		await Promise.all(machines.map((machine, i) => command(children[i], { ...orderOf(machine), url, token: machine.client.token })));
		return (performance.now() - beganMs) / 1_000;
	} finally {
		for (const child of children) child.kill();
	}
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

async function command(child: ChildProcess | undefined, order: RankOrder): Promise<void> {
	const answer = new Promise<RankAnswer>((resolve, reject) => {
		child?.once("message", (message) => resolve(message as RankAnswer));
		child?.once("exit", (code) => reject(new Error(`a rank ended with ${code}`)));
	});
	child?.send(order);
	const { problem } = await answer;
	if (problem !== null) throw new Error(problem);
}

/** Seconds of one `rclone copy` for each folder, all at the same time, with rclone's own settings and the store's own keys. */
async function plainCopy({ world, folder }: Run, folders: readonly string[]): Promise<number> {
	const program = await rcloneOfHost();
	const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = STORE_KEYS;
	const store = { type: "s3", provider: "Minio", endpoint: world.objects.url, access_key_id, secret_access_key };
	// As the agent runs it, so that this machine's settings do not affect the comparison.
	const env = environmentOf({ store }, folder) as NodeJS.ProcessEnv;
	const beganMs = performance.now();
	await Promise.all(folders.map((from, i) => promisify(execFile)(program, ["copy", from, `store:${STORE_BUCKET}/plain/${i}`], { env })));
	const seconds = (performance.now() - beganMs) / 1_000;
	await promisify(execFile)(program, ["delete", `store:${STORE_BUCKET}/plain`], { env });
	return seconds;
}

/** Random blocks, all different, so that no layer compresses or deduplicates them. */
async function writeFileOf(file: string, bytes: number): Promise<void> {
	await mkdir(path.dirname(file), { recursive: true });
	const block = randomBytes(Math.min(bytes, BLOCK_BYTES));
	const handle = await open(file, "w");
	try {
		for (let at = 0; at < bytes; at += block.length) {
			block.writeUInt32LE(at / BLOCK_BYTES, 0);
			await handle.write(block, 0, Math.min(block.length, bytes - at));
		}
	} finally {
		await handle.close();
	}
}
