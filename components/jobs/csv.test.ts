import { describe, expect, it } from "vitest";
import type { JobView } from "#components/trpc/outputs.ts";
import { jobsCsv } from "./csv.ts";

const job = (some: Partial<JobView>): JobView =>
	({
		id: "job_1",
		name: "fraud-v7",
		placement: null,
		forecast: null,
		costMicroUsd: "0",
		emissionsGrams: 0,
		reason: { code: "started", message: "Running.", facts: {} },
		startedAt: null,
		...some,
	}) as JobView;
const row = (some: Partial<JobView>) => {
	const [head = "", line = ""] = jobsCsv([job(some)]).split("\r\n");
	return { head: head.split(","), line };
};

describe("jobsCsv", () => {
	it("writes exact dollars; unknown values are empty", () => {
		const { head, line } = row({ costMicroUsd: "127110042" });
		expect(line.split(",")[head.indexOf("cost_usd")]).toBe("127.110042");
		expect(line.split(",")[head.indexOf("started_at")]).toBe("");
	});

	it("quotes commas, quotes and line breaks", () => {
		expect(row({ reason: { code: "exit_nonzero", message: 'Failed: "x", y', facts: {} } } as Partial<JobView>).line).toContain(
			'"Failed: ""x"", y"',
		);
	});

	it("escapes formulas but not negative amounts", () => {
		expect(row({ name: "=1+1" }).line).toContain(",'=1+1,");
		expect(row({ costMicroUsd: "-2500000" }).line).toContain(",-2.5,");
	});
});
