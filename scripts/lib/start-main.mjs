// The steps of `npm start`. Each is a separate module; this file defines their order and how they are undone.
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { basePath, buildIfChanged, needsBuild } from "./build.mjs";
import { endLeftovers, keepRunning } from "./children.mjs";
import { homeFolder, prepareHome } from "./home.mjs";
import { install, installNeeded } from "./install.mjs";
import { lockHome } from "./lock-home.mjs";
import { projectNode } from "./node.mjs";
import { describeError, PlainError } from "./plain-error.mjs";
import { HOST, parsePort, requireFreePort } from "./ports.mjs";
import { startPostgres } from "./postgres.mjs";
import { createProgress } from "./progress.mjs";
import { restartOnChange } from "./restart-on-change.mjs";
import { runToEnd } from "./run.mjs";
import { HELP, makeSettings, PORT_DEFAULT } from "./settings.mjs";
import { welcome } from "./welcome.mjs";

const READY_LIMIT_MS = 120_000;
const READY_POLL_MS = 100;
/** Crashes of the web server before its first readiness, after which waiting is pointless. */
const EARLY_CRASHES_MAX = 3;
const PARENT_POLL_MS = 500;
const STOP_LIMIT_MS = { scheduler: 15_000, web: 6_000, cloud: 15_000 };

/** @param {string[]} args */
export async function main(args) {
	if (args.includes("--help") || args.includes("-h")) {
		console.log(HELP);
		return;
	}
	const dev = args.includes("--dev");
	const unknown = args.filter((arg) => arg !== "--dev");
	if (unknown.length > 0) {
		console.error(`npm start takes no arguments, but was given: ${unknown.join(" ")}\n\n${HELP}`);
		process.exitCode = 2;
		return;
	}
	const progress = createProgress();
	const run = { progress, dev, aborting: new AbortController(), undo: [], stopping: false, settled: undefined };
	// A closed terminal accepts no output; an orderly stop matters more than reporting.
	process.stdout.on("error", () => undefined);
	listenForStop(run);
	run.settled = start(run);
	try {
		await run.settled;
	} catch (error) {
		if (run.stopping) return;
		progress.line(`\n${describeError(error)}`);
		await undoAll(run);
		process.exit(1);
	}
}

async function start(run) {
	const { progress } = run;
	const startedAt = performance.now();
	const home = homeFolder();
	prepareHome(home);
	const webPort = parsePort(process.env.SPILLWAY_PORT, PORT_DEFAULT);
	const url = `http://${HOST}:${webPort}`;
	const lock = await lockForStart(run, home, url);
	await requireFreePort(webPort);
	const logFolder = path.join(home, "log");
	const signal = run.aborting.signal;

	const missing = installNeeded();
	if (missing) {
		const label = `Installing packages (${missing})`;
		await progress.run(label, (update) => install({ log: path.join(logFolder, "install.log"), signal, update }));
	}
	const settings = await makeSettings(home);
	if (run.dev) settings.env.NODE_ENV = "development";
	lock.update({ instance: settings.instance });
	const context = { ...run, home, logFolder, settings, node: projectNode(), signal };
	// Database work and builds use different resources, so they run in parallel.
	const steps = [prepareDatabase(context), build(context)];
	await Promise.all(steps).catch(async (error) => {
		run.aborting.abort(error);
		await Promise.allSettled(steps);
		throw error;
	});
	signal.throwIfAborted();
	await startPrograms(context);
	signal.throwIfAborted();
	progress.line(welcome({ home, url: `${url}${basePath()}`, demo: settings.demo, seconds: (performance.now() - startedAt) / 1000 }));
}

/** One instance per home. */
async function lockForStart(run, home, url) {
	const lock = await lockHome(home, { url }, run.progress.line);
	if (!lock.held)
		throw new PlainError(
			`Spillway is already running with the state in ${home}: ${lock.owner.url} (process ${lock.owner.pid}).`,
			`open that address; or stop it with Ctrl-C in its terminal (or: kill ${lock.owner.pid}); or start a second one with its own SPILLWAY_HOME and SPILLWAY_PORT.`,
		);
	run.undo.push(() => lock.release());
	return lock;
}

async function prepareDatabase({ progress, home, logFolder, settings, node, signal, undo }) {
	const { env } = settings;
	if (!settings.ownDatabase) {
		const dir = path.join(home, "postgres");
		const postgres = await progress.run("Starting PostgreSQL", (update) =>
			startPostgres({ dir, port: settings.postgresPort, password: settings.postgresPassword, update, say: progress.line }),
		);
		undo.push(() => postgres.stop());
		env.DATABASE_URL = postgres.url;
		for (const note of postgres.notes) progress.line(note);
	}
	signal.throwIfAborted();
	const log = path.join(logFolder, "database.log");
	const step = (label, program, what, todo) =>
		progress.run(label, (update) => runToEnd([node, `server/bin/${program}.ts`], { env, log, signal, what, todo, onLine: update }));
	await step(
		"Bringing the database up to date",
		"migrate",
		"The database could not be brought up to date",
		"read the lines above; nothing was lost, a failed migration is rolled back.",
	);
	if (!settings.demo) return;
	await step(
		"Preparing the demo",
		"seed-demo",
		"The demo data could not be made",
		"read the lines above; to start again, choose another SPILLWAY_HOME.",
	);
}

/** In development, Next compiles each page on its first request instead. */
async function build({ progress, logFolder, signal, dev }) {
	const builds = [["agent", "Building the agent"], ...(dev ? [] : [["web", "Building the web pages"]])];
	const log = path.join(logFolder, "build.log");
	await Promise.all(
		builds
			.filter(([name]) => needsBuild(name))
			.map(([name, label]) => progress.run(label, (update) => buildIfChanged(name, { log, signal, onLine: update }))),
	);
}

async function startPrograms({ progress, dev, logFolder, settings, node, signal, undo }) {
	const keep = (name, program, ...args) => {
		const command = [node, `server/bin/${program}.ts`, ...args];
		return keepRunning({ name, command, env: settings.env, logFolder, say: (line) => progress.line(line) });
	};
	// Stopped in reverse order: the scheduler, which ends the jobs, then the clouds. The web server runs until then, because agents on
	// the clouds' machines send it the last checkpoints.
	undo.push(() => endLeftovers(settings.instance));
	const clouds = [
		...Object.entries(settings.emulated).map(([name, endpoint]) => keep(name, `${name}-emulator`, endpoint)),
		...Object.entries(settings.halls).map(([name, endpoint]) => keep(name, "kubernetes-emulator", name, endpoint)),
	];
	const web = keep("web", "web");
	undo.push(() => web.stop(STOP_LIMIT_MS.web));
	undo.push(() => Promise.all(clouds.map((cloud) => cloud.stop(STOP_LIMIT_MS.cloud))));
	const scheduler = keep("scheduler", "scheduler");
	undo.push(() => scheduler.stop(STOP_LIMIT_MS.scheduler));
	await progress.run("Starting the web server and the scheduler", () => waitUntilReady(web, settings, signal));
	if (settings.traffic) {
		const traffic = keep("traffic", "demo-traffic");
		undo.push(() => traffic.stop(STOP_LIMIT_MS.web));
	}
	if (!dev) return;
	const watcher = restartOnChange({ programs: [web, scheduler], clouds, say: progress.line });
	undo.push(() => watcher.close());
}

/** Ready when the server on the port reports our instance name, because another program may respond there. */
async function waitUntilReady(web, { webPort, instance }, signal) {
	const until = performance.now() + READY_LIMIT_MS;
	while (performance.now() < until && web.crashes() < EARLY_CRASHES_MAX) {
		signal.throwIfAborted();
		if ((await instanceAt(webPort)) === instance) return;
		await sleep(READY_POLL_MS);
	}
	throw new PlainError(
		web.crashes() > 0 ? "The web server does not start." : `The web server did not get ready within ${READY_LIMIT_MS / 1000} s.`,
		`read ${web.log}; its last lines show why.`,
	);
}

async function instanceAt(port) {
	try {
		const answer = await fetch(`http://${HOST}:${port}/readyz`, { signal: AbortSignal.timeout(2_000) });
		return answer.ok ? (await answer.json()).instance : undefined;
	} catch {
		return undefined;
	}
}

function listenForStop(run) {
	const stop = async (name) => {
		if (run.stopping) {
			run.progress.line("Stopping already; this takes a few seconds.");
			return;
		}
		run.stopping = true;
		run.progress.line("\nStopping.");
		run.aborting.abort(new Error(`stopped by ${name}`));
		// A running step may still start something, so wait for it to end before undoing it.
		await run.settled?.catch(() => undefined);
		const clean = await undoAll(run);
		run.progress.line(clean ? "Stopped. Nothing is lost; npm start continues from here." : "Stopped, with the problems listed above.");
		process.exit(clean ? 0 : 1);
	};
	for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => void stop(name));
	// npm may be killed without notifying this process. Then nothing else could stop it, so it stops itself.
	const parent = process.ppid;
	const startedByNpm = process.env.npm_lifecycle_event !== undefined;
	const watch = setInterval(() => {
		if (startedByNpm && process.ppid !== parent && !run.stopping) void stop("the end of npm");
	}, PARENT_POLL_MS);
	watch.unref();
}

/** Undoes everything that was started, latest first. A failed step does not prevent the next one. */
async function undoAll(run) {
	let clean = true;
	for (let step = run.undo.pop(); step; step = run.undo.pop()) {
		try {
			await step();
		} catch (error) {
			clean = false;
			run.progress.line(describeError(error));
		}
	}
	return clean;
}
