import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import { snapshotOfScenario } from "./testing/scenario.ts";
import { traceOf } from "./testing/trace.ts";

const page = readFileSync(new URL("../../docs/decisions.md", import.meta.url), "utf8");

function block(language: string): string {
	const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
	if (found === undefined) throw new Error(`docs/decisions.md has no ${language} block`);
	return found;
}

describe("docs/decisions.md", () => {
	it("shows a decision that the core really makes", () => {
		const { title, snapshot } = snapshotOfScenario(JSON.parse(block("json")));
		expect(traceOf(title, snapshot, decide(snapshot)).trimEnd()).toBe(block("text"));
	});
});
