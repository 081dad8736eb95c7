import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allCheckers } from "./checkers/all.ts";
import { runChecked } from "./run-checked.ts";
import { readScenario } from "./scenario-file.ts";
import { traceOf } from "./trace.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

describe("small scenarios, traced line by line", () => {
	it.each(["overflow", "cap-and-spot"])("%s is the story in golden/", async (name) => {
		const run = runChecked(readScenario(JSON.parse(readFileSync(here(`scenarios/${name}.json`), "utf8"))), allCheckers());
		expect(run.violation).toBeNull();
		await expect(traceOf(run)).toMatchFileSnapshot(here(`golden/${name}.trace.txt`));
	});
});
