import { operation } from "./operation.ts";

export const budget = {
	list: operation({
		method: "GET",
		path: "/budgets",
		summary: "List the budgets of the policy in force",
		permission: "budget:read",
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/budgets/{id}",
		summary: "Get a budget by day, team and job, with its forecast and past periods",
		permission: "budget:read",
		procedure: "query",
	}),
	changeCap: operation({
		method: "PUT",
		path: "/budgets/{id}",
		summary: "Change a budget's cap, or propose it to a second person",
		permission: "budget:change",
		status: [200, 202],
		write: true,
		procedure: "mutation",
	}),
};
