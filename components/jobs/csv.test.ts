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
	it("writes dollars exactly and leaves out what is not known", () => {
		const { head, line } = row({ costMicroUsd: "127110042" });
		expect(line.split(",")[head.indexOf("cost_usd")]).toBe("127.110042");
		expect(line.split(",")[head.indexOf("started_at")]).toBe("");
	});

	it("quotes what holds a comma, a quote or a line break", () => {
		expect(row({ reason: { code: "exit_nonzero", message: 'Failed: "x", y', facts: {} } } as Partial<JobView>).line).toContain(
			'"Failed: ""x"", y"',
		);
	});

	it("gives a spreadsheet no formula to run, and leaves negative amounts alone", () => {
		expect(row({ name: "=1+1" }).line).toContain(",'=1+1,");
		expect(row({ costMicroUsd: "-2500000" }).line).toContain(",-2.5,");
	});
});
