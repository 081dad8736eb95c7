import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { job } from "#server/db/schema/job.ts";
import { env } from "#server/env.ts";
import { attemptIdOf } from "#server/kernel/ids.ts";
import { collectOutputs } from "#server/services/work/artifact/collect.ts";
import { advancePipelines } from "#server/services/work/pipeline/advance.ts";
import type { RestWorld } from "./rest-world.ts";

const LOOK_EVERY_MS = 20;

/** Environment variables that control a job's behavior here. */
export const PLAYED = { exit: "EXIT", lines: "LINES", stay: "STAY" };

/**
 * Plays the control loop for clients in other processes: runs every queued job, one after the other, and advances
 * pipelines. A job with STAY keeps waiting. LINES is its output (by default "done"), EXIT its exit code, and each
 * output is a file with its name.
 * @returns a function that stops it
 */
export function playJobs(world: RestWorld): () => Promise<void> {
	const ended = new AbortController();
	const played = (async () => {
		while (!ended.signal.aborted) {
			const moved = await advancePipelines(world.database.db, { nowMs: world.nowMs(), step: () => undefined });
			const ran = await runQueued(world);
			if (moved + ran === 0) await pause(LOOK_EVERY_MS);
		}
	})();
	return async () => {
		ended.abort();
		await played;
	};
}

async function runQueued(world: RestWorld): Promise<number> {
	const queued = await world.database.db.select({ id: job.id, team: job.team, spec: job.spec }).from(job).where(eq(job.state, "queued"));
	const due = queued.filter(({ spec }) => spec.env[PLAYED.stay] === undefined);
	for (const { id, team, spec } of due) {
		const attempt = await world.start(id);
		await world.log(attempt, ...(spec.env[PLAYED.lines] ?? "done").split("\n"));
		await writeOutputs(world, { id, team, outputs: spec.outputs ?? [] });
		await world.end(attempt, { code: Number(spec.env[PLAYED.exit] ?? 0) });
	}
	return due.length;
}

type Outputs = NonNullable<(typeof job.$inferSelect)["spec"]["outputs"]>;

async function writeOutputs(world: RestWorld, { id, team, outputs }: { id: string; team: string; outputs: Outputs }): Promise<void> {
	if (outputs.length === 0) return;
	const root = await mkdtemp(path.join(os.tmpdir(), "spillway-played-"));
	const contentOf = (name: string): string => `weights of ${name}`;
	for (const { name } of outputs) await writeFile(path.join(root, name), contentOf(name));
	await collectOutputs(world.database.db, path.join(env().SPILLWAY_HOME, "artifacts"), {
		...{ jobId: id, attemptId: attemptIdOf(id, 1), attemptNo: 1, team, atMs: world.nowMs() },
		found: outputs.map((output, index) => ({ output, index, root, paths: [output.name], bytes: contentOf(output.name).length })),
	});
	await rm(root, { recursive: true });
}
