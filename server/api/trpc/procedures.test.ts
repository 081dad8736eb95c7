import { expect, it } from "vitest";
import { listAuditInput } from "#server/contract/inputs/audit.ts";
import { listPipelinesInput } from "#server/contract/inputs/pipeline.ts";
import { pagedInput } from "./procedures.ts";

it.each([
	["pipelines", listPipelinesInput],
	["audit", listAuditInput],
])("accepts the direction that tRPC's client adds to a list of %s", (_what, input) => {
	expect(pagedInput(input).safeParse({ direction: "forward", limit: 10 }).success).toBe(true);
	expect(pagedInput(input).safeParse({ direction: "backward", limit: 10 }).success).toBe(false);
	expect(pagedInput(input).safeParse({ unknown: 1 }).success).toBe(false);
});
