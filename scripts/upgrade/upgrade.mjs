// The upgrade itself: replaces the programs of one release by those of another under traffic, and goes back.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PlainError } from "../lib/plain-error.mjs";
import { Rotation, Traffic } from "./traffic.mjs";

/** Traffic with both releases, and after each step. */
const SIDE_BY_SIDE_MS = 5_000;
const TEAM = "research";
const DONE_LIMIT_MS = 300_000;
const LOOK_MS = 500;

/** Sets up the installation as its first administrator does. @returns {Promise<string>} the administrator's token */
async function setUp({ rotation, home, old }, url) {
	const code = readFileSync(path.join(home, "setup-code"), "utf8").trim();
	const person = { email: "ada@example.test", name: "Ada", password: randomBytes(12).toString("hex") };
	const { status, body } = await rotation.call("/setup/administrator", { body: { code, ...person } });
	if (status !== 201)
		throw new PlainError(`The first administrator could not be created: ${status}.`, "read the lines above.", {
			detail: JSON.stringify(body),
		});
	const spillway = (...args) => old.command({ SPILLWAY_URL: url, SPILLWAY_TOKEN: body.token }, "cli/main.ts", ...args);
	await spillway("init", "--zone", "UTC", "--team", TEAM, "--leave", "not_sensitive", "--cap", "100", "--yes");
	await spillway("site", "add", "local", "--provider", "local", "--name", "This host");
	await spillway("site", "price", "local/local", "--usd", "0.50");
	return body.token;
}

const jobNamed = (name) => ({
	apiVersion: "spillway/v1",
	kind: "Job",
	metadata: { name, team: TEAM },
	spec: { command: ["true"], resources: { gpus: 1 }, duration: { estimate: "1m" } },
});

/**
 * Waits until all accepted jobs succeeded, once each. A scheduler that stops ends jobs on its host, which run again.
 * @throws {PlainError} naming those that did not
 */
async function requireAllDone(rotation, token, { jobs }, update) {
	const wrong = [];
	const end = performance.now() + DONE_LIMIT_MS;
	for (const [done, id] of jobs.entries()) {
		update(`${done} done`);
		const job = await ended(rotation, token, id, end);
		const runs = job?.attemptList.filter((attempt) => attempt.reason?.code !== "site_stopped").map((attempt) => attempt.state);
		if (job?.state !== "succeeded" || runs.join() !== "succeeded")
			wrong.push(`${id}: ${job ? `${job.state} after ${runs.join(", ")}` : "not over"}`);
	}
	if (wrong.length === 0) return;
	const detail = wrong.slice(0, 10).join("\n");
	throw new PlainError(`${wrong.length} of ${jobs.length} jobs did not succeed exactly once.`, "read the lines above.", { detail });
}

/** Returns null when the job is not over by then. */
async function ended(rotation, token, id, end) {
	for (; performance.now() < end; await sleep(LOOK_MS)) {
		const { body } = await rotation.call(`/jobs/${id}`, { token });
		if (["succeeded", "failed", "cancelled"].includes(body.state)) return body;
	}
	return null;
}

/**
 * @param {{progress: ReturnType<typeof import("../lib/progress.mjs").createProgress>, undo: (() => unknown)[], home: string,
 *   old: import("./release.mjs").Release, next: import("./release.mjs").Release}} world `undo` receives what stops the programs
 * @throws {PlainError} when a request failed, or a job did not succeed exactly once
 */
export async function upgradeAndBack({ progress, undo, home, old, next }) {
	const rotation = new Rotation();
	const start = async (release, program) => {
		const running = await release.start(program);
		undo.push(() => running.stop());
		return running;
	};
	await progress.run(`Starting ${old.name}`, () => old.migrate());
	let web = await start(old, "web");
	let scheduler = await start(old, "scheduler");
	rotation.add(web);
	const token = await setUp({ rotation, home, old }, web.url);
	const traffic = new Traffic(rotation, token, jobNamed);
	const replaceWeb = async (release) => {
		const newer = await start(release, "web");
		rotation.add(newer);
		await sleep(SIDE_BY_SIDE_MS);
		await rotation.drain(web);
		await web.stop();
		web = newer;
	};
	// A standby waits for the leader's lock; stopping the leader hands it over.
	const replaceScheduler = async (release) => {
		const standby = await start(release, "scheduler");
		await scheduler.stop();
		scheduler = standby;
		await sleep(SIDE_BY_SIDE_MS);
	};
	try {
		await sleep(SIDE_BY_SIDE_MS);
		await progress.run("Migrating the database", () => next.migrate());
		await progress.run("Replacing the web server", () => replaceWeb(next));
		await progress.run("Replacing the scheduler", () => replaceScheduler(next));
		await progress.run(`Rolling back to ${old.name}`, async () => {
			await replaceWeb(old);
			await replaceScheduler(old);
		});
	} finally {
		await traffic.stop();
	}
	await progress.run(`Waiting for ${traffic.jobs.length} jobs`, (update) => requireAllDone(rotation, token, traffic, update));
	if (traffic.failures.length > 0)
		throw new PlainError(`${traffic.failures.length} of ${traffic.requests} requests failed.`, "read the lines above.", {
			detail: traffic.failures.slice(0, 10).join("\n"),
		});
	progress.line(`${traffic.requests} requests, 0 failed; ${traffic.jobs.length} jobs, each succeeded exactly once.`);
}
