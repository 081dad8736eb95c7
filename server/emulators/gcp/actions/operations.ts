import type { OperationRecord } from "../book/records.ts";
import { compileFilter } from "../filters.ts";
import { invalidField, notFound } from "../gce-error.ts";
import { takePage } from "../paging.ts";
import { operationView } from "../views/operation-view.ts";
import { type Call, defineAction } from "./action.ts";
import { zoneOf } from "./zones.ts";

/** Larger than any time in milliseconds. Subtracting the time from it sorts the newest first. */
const LATEST_MS = 10 ** 15;

export const getOperation = defineAction({
	service: "ZoneOperations",
	method: "Get",
	run: (call) => operationView(call.world, operationOf(call)),
});

/**
 * Google responds when the operation is complete, or after two minutes. This endpoint responds immediately, which callers must
 * handle as well.
 */
export const waitForOperation = defineAction({
	service: "ZoneOperations",
	method: "Wait",
	run: (call) => operationView(call.world, operationOf(call)),
});

export const listOperations = defineAction({
	service: "ZoneOperations",
	method: "List",
	query: ["filter", "maxResults", "pageToken", "orderBy"],
	run(call) {
		const { world, query } = call;
		const zone = zoneOf(call);
		const test = compileFilter(query.get("filter"), "Operation");
		const found = world.operations.operations().filter((op) => op.zone === zone && test(operationView(world, op)));
		const { items, nextPageToken } = takePage(found, readOrder(query.get("orderBy")), query);
		const views = items.map((op) => operationView(world, op));
		return { kind: "compute#operationList", items: views, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
	},
});

function operationOf(call: Call): OperationRecord {
	const { world, params } = call;
	const name = params["operation"] ?? "";
	const operation = world.operations.operation(name);
	if (!operation || operation.zone !== zoneOf(call)) {
		throw notFound(`projects/${world.options.project}/zones/${params["zone"]}/operations/${name}`);
	}
	return operation;
}

function readOrder(orderBy: string | null): (op: OperationRecord) => string {
	if (orderBy === null || orderBy === "name") return ({ name }) => name;
	if (orderBy !== "creationTimestamp desc")
		throw invalidField("orderBy", orderBy, "Lists are ordered by name or by creationTimestamp desc.");
	return ({ insertedAtMs, name }) => `${String(LATEST_MS - insertedAtMs).padStart(16, "0")} ${name}`;
}
