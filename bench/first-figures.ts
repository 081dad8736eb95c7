/**
 * Time from the request of a backtest to its first figures, on the history of the demo company: `npm run bench:first-figures [-- --json]
 * [--rounds N]`. `cold`: without a worker, `ready`: with one started ahead, as when the editor is open. Includes the worker's start, all
 * database reads and the replays, but neither the pause after typing nor the browser.
 */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { BacktestWorkers } from "#server/control-loop/backtest-workers.ts";
import { startBacktestProcess } from "#server/control-loop/spawn-worker.ts";
import { connect } from "#server/db/client.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/core/context.ts";
import { BackgroundTender } from "#server/services/decision/background/tend.ts";
import { getBacktest } from "#server/services/decision/backtest/get.ts";
import { startBacktest } from "#server/services/decision/backtest/start.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { startPostgres } from "../scripts/lib/postgres.mjs";
import { makeSettings } from "../scripts/lib/settings.mjs";
import { print, quantile, round } from "./lib/figures.ts";
import { runProgram } from "./lib/system.ts";

const { values: args } = parseArgs({ options: { json: { type: "boolean", default: false }, rounds: { type: "string", default: "5" } } });
/** Longer than a worker takes to load. */
const LOAD_MS = 15_000;
const LOOK_MS = 20;

const home = mkdtempSync(path.join(os.tmpdir(), "spillway-bench-"));
const settings = await makeSettings(home, { ...process.env, SPILLWAY_DEMO: "1" });
const postgres = await startPostgres({
	dir: path.join(home, "postgres"),
	port: settings.postgresPort,
	password: settings.postgresPassword,
});
Object.assign(process.env, settings.env, { DATABASE_URL: postgres.url });
const workers = new BacktestWorkers(startBacktestProcess);
try {
	await runProgram("migrate", process.env);
	await runProgram("seed-demo", process.env);
	const connection = connect(postgres.url, { max: 4 });
	const ctx = systemContext(connection.db, systemClock, "seed");
	const { source } = await activePolicy(ctx.db);
	const tender = new BackgroundTender({ kind: "backtest", db: ctx.db, clock: systemClock, spawn: (term) => workers.spawn(term) });

	/** Milliseconds until the first figures, and the jobs in them. */
	async function measure(edit: number): Promise<{ ms: number; jobs: number }> {
		const began = performance.now();
		const { id } = await startBacktest(ctx, { source: `${source}# edit ${edit}\n`, days: 30, replace: true });
		await tender.tend();
		for (;;) {
			const { result, estimate, error } = await getBacktest(ctx, id);
			if (error) throw new Error(error);
			const jobs = estimate?.jobs ?? result?.replayedJobs;
			if (jobs !== undefined) return { ms: performance.now() - began, jobs };
			await sleep(LOOK_MS);
		}
	}

	const [cold, ready]: [number[], number[]] = [[], []];
	let jobs = 0;
	for (let n = 0; n < Number(args.rounds); n++) {
		workers.close();
		const first = await measure(2 * n);
		jobs = first.jobs;
		cold.push(first.ms);
		workers.close();
		workers.prepare();
		await sleep(LOAD_MS);
		ready.push((await measure(2 * n + 1)).ms);
	}
	const seconds = (all: readonly number[]) => `${round(quantile(all, 0.5) / 1000)} (highest ${round(Math.max(...all) / 1000)})`;
	print(args.json, "first figures of a backtest, seconds after its request", {
		...{ jobs, cold: seconds(cold), ready: seconds(ready), load: round(os.loadavg()[0] ?? 0), cores: os.cpus().length },
	});
	await connection.end();
} finally {
	workers.close();
	await postgres.stop();
	rmSync(home, { recursive: true, force: true });
}
