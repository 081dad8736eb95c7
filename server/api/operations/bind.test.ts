import { expect, it } from "vitest";
import { z } from "zod";
import { contract } from "#server/contract/contract.ts";
import { operation } from "#server/contract/operation.ts";
import { integerText } from "#server/contract/parts.ts";
import { appRouter } from "../trpc/router.ts";
import { type Bound, bind } from "./bind.ts";
import { BOUND } from "./operations.ts";
import { readInput } from "./read-input.ts";

const input = z.strictObject({
	id: z.string(),
	version: z.number(),
	note: z.number().optional(),
	fromMs: z.number().optional(),
	tags: z.array(z.string()).optional(),
});
const put = operation({
	...{ method: "PUT", path: "/things/{thing}/{version}", summary: "Change a thing", permission: "job:submit" },
	...{ input, query: ["fromMs", "tags"], wire: { thing: "id", from: "fromMs" }, output: z.object({ costMicroUsd: integerText }) },
});

it("accepts a service if its result, as JSON, fits the output", () => {
	const fits = bind(put, () => ({ costMicroUsd: 1n })) satisfies Bound<typeof put, { costMicroUsd: bigint }>;
	expect(fits.operation).toBe(put);
	// @ts-expect-error a number is not the text that the output has
	bind(put, () => ({ costMicroUsd: 1 })) satisfies Bound<typeof put, { costMicroUsd: number }>;
	// @ts-expect-error the output has a field more
	bind(put, () => ({})) satisfies Bound<typeof put, object>;
});

it("reads path, query and body as one input, with the path taking precedence", () => {
	const query = new URLSearchParams("from=2026-11-01&tags=a,b&tags=c");
	const read = readInput(put, { params: { thing: "t1", version: "3" }, query, body: { id: "other", note: 1 } });
	expect(read).toEqual({ id: "t1", version: 3, fromMs: Date.UTC(2026, 10, 1), tags: ["a", "b", "c"], note: 1 });
});

it("rejects unknown query parameters, bodies that are not objects, and invalid numbers in the path", () => {
	const params = { thing: "t1", version: "3" };
	const at = (change: object) => () => readInput(put, { params, query: new URLSearchParams(), body: undefined, ...change });
	expect(at({ query: new URLSearchParams("fromMs=1") })).toThrow('There is no query parameter "fromMs".');
	expect(at({ body: [1] })).toThrow("The body must be a JSON object.");
	expect(at({ params: { ...params, version: "3x" } })).toThrow('"3x" is no version');
});

it("has a binding for each operation, and a procedure if the contract says so", () => {
	const procedures = Object.keys(appRouter._def.procedures);
	for (const [group, operations] of Object.entries(contract)) {
		expect(Object.keys(BOUND[group as keyof typeof BOUND]).sort()).toEqual(Object.keys(operations).sort());
		for (const [name, definition] of Object.entries(operations))
			if ("procedure" in definition) expect(procedures).toContain(`${group}.${name}`);
	}
});
