import { expect, test } from "vitest";
import { fileCircles, folderLoops } from "./graph.mjs";
import { writesIn } from "./writers.mjs";

const graphOf = (edges) => new Map(Object.entries(edges).map(([file, targets]) => [file, new Set(targets)]));

test("finds files that import each other in a circle", () => {
	const graph = graphOf({
		"server/a.ts": ["server/b.ts"],
		"server/b.ts": ["server/c.ts"],
		"server/c.ts": ["server/a.ts"],
		"server/d.ts": ["server/a.ts"],
	});
	expect(fileCircles(graph)).toEqual([["server/a.ts", "server/b.ts", "server/c.ts"]]);
});

test("finds no circle in a chain", () => {
	expect(fileCircles(graphOf({ "server/a.ts": ["server/b.ts"], "server/b.ts": ["server/c.ts"], "server/c.ts": [] }))).toEqual([]);
});

test("finds folders of a room that import each other, and ignores other rooms", () => {
	const graph = graphOf({
		"server/services/work/a.ts": ["server/services/ledger/b.ts", "server/domain/money/c.ts"],
		"server/services/ledger/d.ts": ["server/services/work/a.ts"],
	});
	expect(folderLoops(graph)).toEqual([["server/services/ledger", "server/services/work"]]);
});

test("finds writes of tables, and no other calls of the same names", () => {
	const text = 'import { job } from "#server/db/schema/job.ts";\nawait db.update(job).set({});\nmap.delete(key);\nset.delete(job2);';
	expect(writesIn("server/auth/a.ts", text)).toEqual([{ line: 2, table: "job" }]);
});
