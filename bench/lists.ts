/**
 * The list pages with many jobs: `npm run bench:lists [-- --json] [--jobs N] [--rounds N]`.
 * Times the services behind the pages on the server, in process, over a throwaway PostgreSQL that holds N jobs in the states of a busy day.
 * Prints p50 and p95 in ms for each list and filter.
 */
import { parseArgs } from "node:util";
import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { listInstances } from "#server/services/capacity/instance/list.ts";
import { systemContext } from "#server/services/core/context.ts";
import { countJobFacets } from "#server/services/work/job/facets.ts";
import { countJobs, type ListJobsInput, listJobs } from "#server/services/work/job/list.ts";
import { startThrowawayPostgres } from "../scripts/test-postgres.mjs";
import { print, quantile, round } from "./lib/figures.ts";
import { insertJobs } from "./lib/many-jobs.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		jobs: { type: "string", default: "100000" },
		rounds: { type: "string", default: "40" },
	},
});
const JOBS = Number(args.jobs);

const postgres = await startThrowawayPostgres();
const url = new URL(postgres.url);
url.pathname = "/bench_lists";
await migrate(url.href);
const connection = connect(url.href);

try {
	await insertJobs(connection, JOBS);
	const ctx = systemContext(connection.db, systemClock);
	const cases: Record<string, () => Promise<unknown>> = {
		newest: () => listJobs(ctx, {}),
		activeAndEndedToday: () => listJobs(ctx, { endedSinceMs: Date.now() - DAY_MS, limit: 200 }),
		queued: () => listJobs(ctx, { state: ["queued"], limit: 200 }),
		failed: () => listJobs(ctx, { state: ["failed"] }),
		team: () => listJobs(ctx, { team: ["risk"] }),
		classAndState: () => listJobs(ctx, { class: ["experimental"], state: ["succeeded"] }),
		inTheCloud: () => listJobs(ctx, { site: "cloud" }),
		searchRare: () => listJobs(ctx, { q: "esm-v96" }),
		searchNone: () => listJobs(ctx, { q: "nothing-like-it" }),
		deepPage: deepPage(),
		counts: () => countJobs(ctx),
		facets: () => countJobFacets(ctx, {}),
		facetsActive: () => countJobFacets(ctx, { endedSinceMs: Date.now() - DAY_MS }),
		mine: () => listJobs(ctx, { mine: true, endedSinceMs: Date.now() - 7 * DAY_MS, limit: 50 }),
		instances: () => listInstances(ctx, {}),
	};
	const figures: Record<string, number> = { jobs: JOBS };
	for (const [name, run] of Object.entries(cases)) {
		const samples: number[] = [];
		for (let i = 0; i < Number(args.rounds) + 3; i++) {
			const startedMs = performance.now();
			await run();
			if (i >= 3) samples.push(performance.now() - startedMs);
		}
		figures[`${name}P50Ms`] = round(quantile(samples, 0.5), 2);
		figures[`${name}P95Ms`] = round(quantile(samples, 0.95), 2);
	}
	print(args.json, "List pages on the server, ms", figures);

	function deepPage(): () => Promise<unknown> {
		let input: ListJobsInput = { limit: 500 };
		return async () => {
			const { nextCursor } = await listJobs(ctx, input);
			input = nextCursor === null ? { limit: 500 } : { limit: 500, cursor: nextCursor };
		};
	}
} finally {
	await connection.end();
	await postgres.stop();
}
