import { operation } from "./operation.ts";

export const dataSet = {
	list: operation({
		method: "GET",
		path: "/data-sets",
		summary: "List data sets with copies, and recent transfer speeds by region",
		permission: "capacity:read",
	}),
	set: operation({
		method: "PUT",
		path: "/data-sets",
		summary: "Replace the list of data sets that have copies",
		permission: "data:change",
		write: true,
	}),
};
