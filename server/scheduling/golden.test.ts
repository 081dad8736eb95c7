import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import { snapshotOfScenario } from "./testing/scenario.ts";
import { traceOf } from "./testing/trace.ts";

const folder = new URL("./golden/", import.meta.url);
const names = readdirSync(folder)
	.filter((file) => file.endsWith(".json"))
	.map((file) => file.slice(0, -".json".length));

/** Each golden/<name>.json is decided, and the trace compared with golden/<name>.trace; `vitest -u` rewrites them. */
describe("golden decisions", () => {
	it("are there", () => expect(names.length).toBeGreaterThanOrEqual(8));

	it.each(names)("%s", async (name) => {
		const { title, snapshot } = snapshotOfScenario(JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")));
		const plan = decide(snapshot, { explain: new Set(snapshot.pending.map((job) => job.jobId)) });
		await expect(traceOf(title, snapshot, plan)).toMatchFileSnapshot(`./golden/${name}.trace`);
	});
});
