import { dataSetsInput } from "./inputs/data-set.ts";
import { operation } from "./operation.ts";
import { dataSetsSchema } from "./outputs/data-set.ts";

export const dataSet = {
	list: operation({
		method: "GET",
		path: "/data-sets",
		summary: "List data sets with copies, and recent transfer speeds by region",
		description:
			"`stores` are places for copies, `stored` what was copied there, `sharing` what a copy would save, `caches` what owned sites keep ([data](data.md#copies)).",
		permission: "capacity:read",
		procedure: "query",
		output: dataSetsSchema,
	}),
	set: operation({
		method: "PUT",
		path: "/data-sets",
		summary: "Replace the list of data sets that have copies",
		permission: "data:change",
		output: dataSetsSchema,
		input: dataSetsInput,
		write: true,
	}),
};
