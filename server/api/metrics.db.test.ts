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
