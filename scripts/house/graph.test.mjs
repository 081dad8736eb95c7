import { expect, test } from "vitest";
import { root } from "../lib/node.mjs";
import { fileCircles, folderLoops, importGraph } from "./graph.mjs";
import { foreignWrites, writesIn } from "./writers.mjs";

const graphOf = (edges) => new Map(Object.entries(edges).map(([file, targets]) => [file, new Set(targets)]));

test("finds files that form an import cycle", () => {
	const graph = graphOf({
		"server/a.ts": ["server/b.ts"],
		"server/b.ts": ["server/c.ts"],
		"server/c.ts": ["server/a.ts"],
		"server/d.ts": ["server/a.ts"],
	});
	expect(fileCircles(graph)).toEqual([["server/a.ts", "server/b.ts", "server/c.ts"]]);
});

test("finds no cycle in a chain", () => {
	expect(fileCircles(graphOf({ "server/a.ts": ["server/b.ts"], "server/b.ts": ["server/c.ts"], "server/c.ts": [] }))).toEqual([]);
});

test("finds folders of a room that import each other, and ignores other rooms", () => {
	const graph = graphOf({
		"server/services/work/a.ts": ["server/services/ledger/b.ts", "server/domain/money/c.ts"],
		"server/services/ledger/d.ts": ["server/services/work/a.ts"],
	});
	expect(folderLoops(graph)).toEqual([["server/services/ledger", "server/services/work"]]);
});

test("finds table writes, but not other calls with the same names", () => {
	const text = 'import { job } from "#server/db/schema/job.ts";\nawait db.update(job).set({});\nmap.delete(key);\nset.delete(job2);';
	expect(writesIn("server/auth/a.ts", text)).toEqual([{ line: 2, table: "job" }]);
});

test("the project has no import cycles, no loops between folders of a room, and no table writes outside services", () => {
	const graph = importGraph(root);
	expect(graph.size).toBeGreaterThan(1_000);
	expect({ circles: fileCircles(graph), loops: folderLoops(graph), writes: foreignWrites(root) }).toEqual({
		circles: [],
		loops: [],
		writes: [],
	});
});
