import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { OPEN_TRACE_NAMES } from "#server/domain/open-traces.ts";
import { parseTrace } from "#server/simulation/trace-file/read-trace.ts";
import { readOpenTrace, tracePathOf } from "./open-traces.ts";

describe("open traces", () => {
	it.each([
		["philly-ee9e8c", 1511],
		["philly-0e4a51", 1435],
		["philly-four-weeks", 16_592],
	] as const)("%s has the jobs that its page states", (name, jobs) => {
		expect(parseTrace(gunzipSync(readOpenTrace(name)).toString("utf8"), name).jobs).toHaveLength(jobs);
	});
	it("leaves other paths unchanged", () => {
		expect(tracePathOf("examples/simulate/trace.csv")).toBe("examples/simulate/trace.csv");
		expect(OPEN_TRACE_NAMES.map(tracePathOf).every((file) => file.endsWith(".csv.gz"))).toBe(true);
	});
});
