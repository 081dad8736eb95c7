/**
 * The Jobs screen in a browser with many jobs: `npm run bench:scroll [-- --json] [--jobs N] [--rows N] [--changes N]`.
 * Scrolls through N rows at 120 px a frame, against the web server of the production build and without a scheduler. Then changes a job
 * while all those rows are loaded. Prints frames longer than 50 ms, tasks of the page longer than 50 ms, memory, and what a change costs.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chromium, type Page } from "@playwright/test";
import { notify } from "#server/db/notify.ts";
import { CHROMIUM_ARGS, findChromium } from "../scripts/lib/chromium.mjs";
import { print, quantile, round } from "./lib/figures.ts";
import { insertJobs } from "./lib/many-jobs.ts";
import { startSystem, until } from "./lib/system.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		jobs: { type: "string", default: "100000" },
		rows: { type: "string", default: "5000" },
		changes: { type: "string", default: "10" },
	},
});
const ROW_PX = 38;
const LONG_MS = 50;
const MIB = 2 ** 20;
const READY_LIMIT_MS = 600_000;
const CHANGE_EVERY_MS = 1_000;
const PASSWORD = randomUUID();

interface Scrolled {
	frameMs: number[];
	taskMs: number[];
}

/** Runs in the page: scrolls a step in every frame until the window has moved by `untilPx`. */
async function scrollDown({ untilPx, stepPx }: { untilPx: number; stepPx: number }): Promise<Scrolled> {
	const taskMs: number[] = [];
	const observer = new PerformanceObserver((list) => taskMs.push(...list.getEntries().map(({ duration }) => duration)));
	observer.observe({ type: "longtask" });
	const frameMs: number[] = [];
	await new Promise<void>((resolve) => {
		let before = performance.now();
		const step = (now: number) => {
			frameMs.push(now - before);
			before = now;
			window.scrollBy(0, stepPx);
			if (window.scrollY >= untilPx) resolve();
			else requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	});
	observer.disconnect();
	return { frameMs: frameMs.slice(1), taskMs };
}

async function memoryOf(page: Page): Promise<{ heapMiB: number; elements: number }> {
	const session = await page.context().newCDPSession(page);
	await session.send("HeapProfiler.collectGarbage");
	const { usedSize } = await session.send("Runtime.getHeapUsage");
	return { heapMiB: round(usedSize / MIB), elements: await page.evaluate(() => document.querySelectorAll("*").length) };
}

const { executable } = findChromium(process.execPath);
const system = await startSystem({ scheduler: false, password: PASSWORD });
const browser = await chromium.launch({ executablePath: executable, args: CHROMIUM_ARGS });
try {
	await insertJobs(system.connection, Number(args.jobs));
	const page = await browser.newPage({ baseURL: system.url, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
	page.setDefaultTimeout(READY_LIMIT_MS);
	await page.goto("/sign-in?callbackUrl=/jobs?view=all");
	await page.getByLabel("Email address").fill("platform@demo.spillway");
	await page.getByLabel("Password").fill(PASSWORD);
	await page.getByRole("button", { name: "Sign in", exact: true }).click();
	await page.getByRole("grid", { name: "Jobs" }).waitFor();
	await page.locator("tr[data-row-id]").nth(20).waitFor();
	const first = await memoryOf(page);
	const { frameMs, taskMs } = await page.evaluate(scrollDown, { untilPx: Number(args.rows) * ROW_PX, stepPx: 120 });
	const scrolled = await memoryOf(page);
	let requests = 0;
	page.on("request", (request) => {
		if (request.url().includes("job.list")) requests++;
	});
	const changes = Number(args.changes);
	for (let i = 0; i < changes; i++) {
		await notify(system.connection.db, { changes: [{ topic: "job", id: `job_${randomUUID()}`, team: null }] });
		await sleep(CHANGE_EVERY_MS);
	}
	let seen = -1;
	await until(
		async () => {
			const settled = seen === requests;
			seen = requests;
			return settled;
		},
		"the list is read again",
		READY_LIMIT_MS,
		3_000,
	);
	print(args.json, "Scrolling the list of jobs in a browser", {
		jobs: Number(args.jobs),
		rowsScrolled: Number(args.rows),
		frames: frameMs.length,
		frameP50Ms: round(quantile(frameMs, 0.5)),
		frameP95Ms: round(quantile(frameMs, 0.95)),
		framesOver50Ms: frameMs.filter((ms) => ms > LONG_MS).length,
		longestFrameMs: round(Math.max(...frameMs)),
		tasksOver50Ms: taskMs.length,
		longestTaskMs: round(Math.max(0, ...taskMs)),
		heapBeforeMiB: first.heapMiB,
		heapMiB: scrolled.heapMiB,
		elements: scrolled.elements,
		changes,
		requestsPerChange: round(requests / changes, 1),
	});
} finally {
	await browser.close();
	await system.stop();
}
