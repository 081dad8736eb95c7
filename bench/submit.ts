/**
 * Submissions through REST: `npm run bench:submit [-- --json] [--jobs N] [--batches N] [--connections N]`.
 * One by one on keep-alive connections, then in batches of 1,000, against the web server of the production build and a durable PostgreSQL,
 * without a scheduler that would use a share of the two cores. Prints jobs per second.
 */
import http from "node:http";
import { parseArgs } from "node:util";
import { print, quantile, round } from "./lib/figures.ts";
import { jobDocument } from "./lib/jobs.ts";
import { startSystem } from "./lib/system.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		jobs: { type: "string", default: "6000" },
		batches: { type: "string", default: "20" },
		connections: { type: "string", default: "8" },
	},
});
const JOBS = Number(args.jobs);
const BATCHES = Number(args.batches);
const CONNECTIONS = Number(args.connections);
const BATCH = 1_000;
const WARM_UP = 500;

const system = await startSystem({ scheduler: false });
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const target = new URL("/api/v1/jobs", system.url);

function post(body: string): Promise<number> {
	const startedMs = performance.now();
	return new Promise((resolve, reject) => {
		const headers = {
			authorization: `Bearer ${system.token}`,
			"content-type": "application/json",
			"content-length": Buffer.byteLength(body),
		};
		const request = http.request(target, { method: "POST", agent, headers }, (response) => {
			response.resume();
			response.on("end", () =>
				response.statusCode === 201 ? resolve(performance.now() - startedMs) : reject(new Error(`status ${response.statusCode}`)),
			);
		});
		request.on("error", reject);
		request.end(body);
	});
}

async function drive(total: number, connections: number, bodyOf: (i: number) => string): Promise<{ seconds: number; latencies: number[] }> {
	let next = 0;
	const latencies: number[] = [];
	const startedMs = performance.now();
	const worker = async (): Promise<void> => {
		while (next < total) latencies.push(await post(bodyOf(next++)));
	};
	await Promise.all(Array.from({ length: connections }, worker));
	return { seconds: (performance.now() - startedMs) / 1000, latencies };
}

try {
	const one = (i: number): string => JSON.stringify(jobDocument({ name: `bench-${i}` }));
	await drive(WARM_UP, CONNECTIONS, one);
	const single = await drive(JOBS, CONNECTIONS, one);
	const batches = await drive(BATCHES, 2, (b) =>
		JSON.stringify({ items: Array.from({ length: BATCH }, (_, i) => jobDocument({ name: `batch-${b}-${i}` })) }),
	);
	print(args.json, "Submission through REST", {
		connections: CONNECTIONS,
		jobsPerSecond: round(JOBS / single.seconds, 0),
		p50Ms: round(quantile(single.latencies, 0.5), 2),
		p99Ms: round(quantile(single.latencies, 0.99), 2),
		batchedJobsPerSecond: round((BATCHES * BATCH) / batches.seconds, 0),
	});
} finally {
	agent.destroy();
	await system.stop();
}
