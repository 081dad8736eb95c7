import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countProcess, cycleSeconds, driverCallSeconds, httpSeconds, waitSeconds } from "#server/services/core/process-metrics.ts";
import { canScrape } from "./health.ts";
import { RestWorld } from "./testing/rest-world.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const scrape = async (): Promise<string> => (await world.call("GET", "/metrics", { as: null })).text;

describe("/metrics", () => {
	it("has the budgets, sites and queue of the database", async () => {
		await world.database.sql`insert into site (id, name, provider, settings, healthy) values ('cloud-x', 'X', 'aws', '{}', false)`;
		const text = await scrape();
		expect(text).toContain('spillway_site_healthy{site="cloud-x",provider="aws"} 0\n');
		expect(text).toMatch(/^# TYPE spillway_budget_cap_usd gauge$/m);
		expect(text).toMatch(/^# TYPE spillway_queued_jobs gauge$/m);
	});
	it("has the GPUs by state: owned ones of nodes or allocations, cloud ones of machines", async () => {
		const { sql } = world.database;
		const gpus = async (site: string): Promise<string[]> =>
			[...(await scrape()).matchAll(/^spillway_gpus\{owner="(\w+)",site="([\w-]+)",state="(\w+)"\} (\d+)$/gm)]
				.filter((m) => m[2] === site)
				.map((m) => `${m[1]} ${m[3]} ${m[4]}`)
				.sort();
		const pooled = await gpus("home");
		expect(pooled.map((line) => line.replace(/\d+$/, ""))).toEqual(["owned down ", "owned drained ", "owned idle ", "owned used "]);
		await sql`insert into site (id, name, provider, settings) values ('slurm-x', 'X', 'slurm', '{}')`;
		await sql`insert into cluster_node (site_id, name, pool_id, state, gpus, gpus_used)
			values ('slurm-x', 'a', 'p', 'ready', 8, 3), ('slurm-x', 'b', 'p', 'closed', 8, 2), ('slurm-x', 'c', 'p', 'down', 4, 0),
				('slurm-x', 'other', null, 'ready', 16, 0)`;
		expect(await gpus("slurm-x")).toEqual(["owned down 4", "owned drained 6", "owned idle 5", "owned used 5"]);
		const machine = (id: string, state: string) => sql`
			insert into instance (id, site_id, provider, state, region, instance_type, capacity_type, accelerator, gpus, offer,
				micro_usd_per_hour, warm_rule, warm_for, warm_until, intended_at, expires_at, requested_at, launched_at,
				billed_from, provider_instance_id)
			select ${id}, 'cloud-x', 'aws', ${state}, 'us-east-1', 'p5.48xlarge', 'on_demand', 'H100-80GB', 8, '{}', 1, 'rule', job.id, now(), now(), now(), now(), now(), now(), ${id}
			from job limit 1`;
		await world.submit();
		await machine("ins_w1", "requested");
		await machine("ins_w2", "ready");
		expect(await gpus("cloud-x")).toEqual(["cloud starting 8", "cloud warm 8"]);
	});
	it("passes promtool's rules, with samples of every histogram", async (test) => {
		countProcess();
		httpSeconds.observe({ surface: "rest", method: "GET", code: "2xx" }, 0.01);
		cycleSeconds.observe({ part: "load" }, 0.01);
		driverCallSeconds.observe({ site: "aws", call: "list", outcome: "ok" }, 0.01);
		waitSeconds.observe({ class: "batch", capacity_type: "spot" }, 10);
		const text = await scrape();
		expect(text).toContain("process_resident_memory_bytes");
		expect(text).toContain('spillway_job_wait_seconds_count{class="batch",capacity_type="spot"} 1\n');
		const { status, stdout, stderr, error } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
		if (error) return test.skip("promtool is not installed (Debian: prometheus)");
		expect(`${stdout}${stderr}`).toBe("");
		expect(status).toBe(0);
	});
	it("requires the token if one is set", () => {
		expect(canScrape(undefined, undefined)).toBe(true);
		expect(canScrape("0123456789abcdef", "Bearer 0123456789abcdef")).toBe(true);
		for (const wrong of [undefined, "", "Bearer 0123456789abcdeF", "0123456789abcdef"])
			expect(canScrape("0123456789abcdef", wrong)).toBe(false);
	});
});
