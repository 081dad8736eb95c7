import { operation } from "./operation.ts";

export const carbon = {
	by: operation({
		method: "GET",
		path: "/carbon",
		summary: "Get energy and emissions by dimension or by time",
		permission: "spend:read",
	}),
	avoided: operation({
		method: "GET",
		path: "/carbon/avoided",
		summary: "Get the emissions that bursting avoided or added",
		permission: "spend:read",
	}),
	intensities: operation({
		method: "GET",
		path: "/carbon/intensities",
		summary: "Get grid intensity by place and hour on the last day of the range",
		permission: "spend:read",
	}),
	importIntensities: operation({
		method: "POST",
		path: "/carbon/intensities",
		summary: "Import hourly grid intensities",
		permission: "rates:change",
		write: true,
	}),
};
