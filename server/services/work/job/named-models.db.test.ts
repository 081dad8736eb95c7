import { afterEach, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { systemContext } from "#server/services/core/context.ts";
import { askQuote } from "#server/services/decision/quote/ask.ts";
import { submitJobs } from "./submit.ts";

const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

it("quotes and places a job that requests A10G on a machine with A10G-24GB", async () => {
	const w = await World.open({ slots: 1 });
	opened.push(w);
	const spec = parseJobDocument({
		...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "a", team: "research" } },
		spec: { command: ["true"], duration: { estimate: "30s", max: "10m" }, resources: { gpus: 1, accelerators: ["A10G"] } },
	});
	const ctx = { ...systemContext(w.database.db, w.clock, "seed"), timing: w.ctx.timing };
	expect((await askQuote(ctx, spec)).expected?.placement.accelerator).toBe("A10G-24GB");
	await submitJobs(ctx, [spec]);
	await w.until(() => w.quiet());
	expect((await w.attempts()).map((a) => [a.state, a.placement.accelerator])).toEqual([["succeeded", "A10G-24GB"]]);
});
