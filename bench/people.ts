/**
 * What signed-in people cost a web server: `npm run bench:people [-- --json] [--rounds N] [--connections N]`.
 * Loads pages of the demo company, reads a list of 200 jobs, and delivers changes to live connections, against the web server of the
 * production build and without a scheduler. Prints processor time, which other load on the machine affects less than durations, and how
 * many people one core carries at the pace below.
 */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { z } from "zod";
import { notify } from "#server/db/notify.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { print, quantile, round } from "./lib/figures.ts";
import { processSeconds } from "./lib/process-seconds.ts";
import { type System, startSystem, until } from "./lib/system.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		rounds: { type: "string", default: "40" },
		connections: { type: "string", default: "90" },
	},
});
const ROUNDS = Number(args.rounds);
/** One person has at most 100 in each web server. */
const CONNECTIONS = Number(args.connections);
const WARM_UP = 8;
const CHANGES = 30;
const PASSWORD = randomUUID();
/** An assumption: someone who works in the console all the time. A page a minute; the list refetched for every change. */
const PACE = { pageLoadsPerMinute: 1, changesPerMinute: 6 };

const system = await startSystem({ scheduler: false, company: { password: PASSWORD } });

async function signIn(): Promise<string> {
	const answer = await fetch(`${system.url}/api/auth/csrf`);
	const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await answer.json());
	const signedIn = await fetch(`${system.url}/api/auth/callback/credentials`, {
		method: "POST",
		redirect: "manual",
		headers: { cookie: cookiesOf(answer), origin: system.url },
		body: new URLSearchParams({ csrfToken, email: "platform@demo.spillway", password: PASSWORD, callbackUrl: system.url }),
	});
	const cookies = cookiesOf(signedIn);
	if (!cookies.includes("session-token")) throw new Error(`sign-in failed: ${signedIn.status}`);
	return cookies;
}

function cookiesOf(answer: Response): string {
	return answer.headers
		.getSetCookie()
		.map((cookie) => cookie.split(";")[0])
		.join("; ");
}

/** Mean processor time of the web server and P95 of the duration, in ms, after a warm-up. */
async function measure(get: () => Promise<Response>): Promise<{ cpuMs: number; p95Ms: number }> {
	const once = async (): Promise<number> => {
		const startedMs = performance.now();
		const answer = await get();
		await answer.arrayBuffer();
		if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}`);
		return performance.now() - startedMs;
	};
	for (let i = 0; i < WARM_UP; i++) await once();
	const before = processSeconds(system.webPid);
	const durations: number[] = [];
	for (let i = 0; i < ROUNDS; i++) durations.push(await once());
	return { cpuMs: ((processSeconds(system.webPid) - before) / ROUNDS) * 1000, p95Ms: quantile(durations, 0.95) };
}

/** Mean processor time, in ms, of a change that one live connection receives. */
async function measureChanges({ connection, url, webPid }: System, cookie: string): Promise<number> {
	let delivered = 0;
	const stop = new AbortController();
	const input = encodeURIComponent(JSON.stringify({ json: { sinceMs: Date.now() } }));
	const streams = Array.from({ length: CONNECTIONS }, async () => {
		const answer = await fetch(`${url}/api/trpc/changes?input=${input}`, {
			headers: { cookie, accept: "text/event-stream" },
			signal: stop.signal,
		});
		const decoder = new TextDecoder();
		for await (const chunk of answer.body ?? []) delivered += decoder.decode(chunk).split('"topic"').length - 1;
	});
	const ended = Promise.allSettled(streams);
	const publish = () => notify(connection.db, { changes: [{ topic: "job" as const, id: `job_${randomUUID()}`, team: null }] });
	// The first change shows that all are connected.
	await until(
		async () => {
			delivered = 0;
			await publish();
			await until(async () => delivered >= CONNECTIONS, "a change is delivered", 2_000).catch(() => undefined);
			return delivered >= CONNECTIONS;
		},
		"all live connections are open",
		MINUTE_MS,
	);
	const before = processSeconds(webPid);
	for (let i = 0; i < CHANGES; i++) {
		const goal = delivered + CONNECTIONS;
		await publish();
		await until(async () => delivered >= goal, "the change is delivered");
	}
	const seconds = processSeconds(webPid) - before;
	stop.abort();
	await ended;
	return (seconds / CHANGES / CONNECTIONS) * 1000;
}

try {
	const cookie = await signIn();
	const page = (path: string) => measure(() => fetch(`${system.url}${path}`, { headers: { cookie } }));
	const pages = {
		overview: await page("/"),
		jobs: await page("/jobs"),
		spend: await page("/spend"),
		capacity: await page("/sites"),
	};
	const list = await measure(() => fetch(`${system.url}/api/v1/jobs?limit=200`, { headers: { authorization: `Bearer ${system.token}` } }));
	const changeMs = await measureChanges(system, cookie);
	const pageMs = Object.values(pages).reduce((sum, { cpuMs }) => sum + cpuMs, 0) / Object.keys(pages).length;
	const perMinuteMs = PACE.pageLoadsPerMinute * pageMs + PACE.changesPerMinute * (changeMs + list.cpuMs);
	print(args.json, "People of a web server: processor time, ms", {
		...Object.fromEntries(Object.entries(pages).map(([name, { cpuMs }]) => [`${name}Ms`, round(cpuMs)])),
		...Object.fromEntries(Object.entries(pages).map(([name, { p95Ms }]) => [`${name}P95Ms`, round(p95Ms)])),
		listMs: round(list.cpuMs),
		liveConnections: CONNECTIONS,
		changeMs: round(changeMs, 2),
		...PACE,
		peoplePerCore: Math.floor(MINUTE_MS / perMinuteMs),
	});
} finally {
	await system.stop();
}
