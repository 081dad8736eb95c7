import { expect, it } from "vitest";
import { describeProblem } from "./describe-problem.ts";

const PROVIDER = { path: "provider", message: "one of aws, slurm" };

it("names the field, and keeps what happened and what to do", () => {
	const problem = { detail: "Sites of local cannot be added here.", fix: "Set SPILLWAY_LOCAL_SLOTS.", fields: [PROVIDER] };
	expect(describeProblem(problem)).toBe("provider: one of aws, slurm. Sites of local cannot be added here. Set SPILLWAY_LOCAL_SLOTS.");
});

it("counts further fields, and does not repeat a message", () => {
	const fields = [PROVIDER, { path: "id", message: "is required" }];
	expect(describeProblem({ detail: "provider: one of aws, slurm", fields })).toBe("provider: one of aws, slurm (and 1 more).");
});

it("has no line for a problem without fields", () => {
	expect(describeProblem({ detail: "Not found." })).toBeNull();
});
