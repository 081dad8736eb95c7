import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readSpotTraces } from "./spot-traces.ts";

let dir = "";
beforeAll(() => {
	dir = mkdtempSync(path.join(tmpdir(), "spillway-spot-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const HEAD = "trace_id,source,cloud,zone,gpu,gpus_per_node,nodes_requested,kind,start_date,gap_s,note";

function write(name: string, lines: readonly string[]): string {
	const file = path.join(dir, name);
	writeFileSync(file, `${lines.join("\n")}\n`);
	return file;
}

it("turns runs into probes, needs all requested nodes, and groups zones recorded together", () => {
	const runs = write("runs.csv", [
		"trace_id,t_start_s,t_end_s,available_nodes",
		"a,0,1200,2",
		"a,1200,1800,1",
		"a,1800,3000,2",
		"b,0,3000,2",
		"c,0,3000,1",
	]);
	const traces = write("traces.csv", [
		HEAD,
		"a,s,aws,z1,v100,1,2,availability,2023-02-15,600,",
		"b,s,aws,z2,v100,1,2,availability,2023-02-15,600,",
		"c,s,aws,z1,k80,1,1,availability,2022-10-26,600,",
	]);
	const [a, b, c] = readSpotTraces(runs, traces);
	expect(Array.from(a?.up ?? [])).toEqual([1, 1, 0, 1, 1]);
	expect(a?.gapMs).toBe(600_000);
	expect(b?.group).toBe(a?.group);
	expect(c?.group).not.toBe(a?.group);
});

it("names the line it cannot read", () => {
	const runs = write("bad.csv", ["trace_id,t_start_s,t_end_s,available_nodes", "a,0,soon,1"]);
	expect(() => readSpotTraces(runs, write("meta.csv", [HEAD]))).toThrow(/bad\.csv line 2/);
});
