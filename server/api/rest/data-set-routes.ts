import { dataSetsInput } from "#server/contract/inputs/data-set.ts";
import { listDataSets } from "#server/services/capacity/data-set/list.ts";
import type { DataSetsInput } from "#server/services/capacity/data-set/schemas.ts";
import { setDataSets } from "#server/services/capacity/data-set/set.ts";
import { ok, type Route } from "./route.ts";

export const dataSetRoutes: Route[] = [
	{
		method: "GET",
		path: "/data-sets",
		summary: "Data sets that have copies, where each lies, and how fast data came into each region lately",
		permission: "capacity:read",
		handle: async (ctx) => ok(await listDataSets(ctx)),
	},
	{
		method: "PUT",
		path: "/data-sets",
		summary: "Replace the list of data sets that have copies",
		permission: "data:change",
		body: dataSetsInput,
		write: true,
		async handle(ctx, { body }) {
			await setDataSets(ctx, body as DataSetsInput);
			return ok(await listDataSets(ctx));
		},
	},
];
