import { z } from "zod";
import { addBudgetInput, budgetOutlookInput, changeCapInput, getBudgetInput } from "./inputs/budget.ts";
import { operation } from "./operation.ts";
import { budgetDetailSchema, budgetOutlookSchema, budgetStatusSchema, capChangedSchema } from "./outputs/budget.ts";

export const budget = {
	list: operation({
		method: "GET",
		path: "/budgets",
		summary: "List the budgets of the policy in force",
		permission: "budget:read",
		output: z.array(budgetStatusSchema),
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/budgets/{id}",
		summary: "Get a budget by day, team and job, with its forecast and past periods",
		description: "`period=2026-11-01` selects an earlier period ([budgets](budgets.md)).",
		permission: "budget:read",
		output: budgetDetailSchema,
		input: getBudgetInput,
		procedure: "query",
	}),
	outlook: operation({
		method: "GET",
		path: "/budgets/{id}/outlook",
		summary: "Get the end of a budget's period as a range, by the demand forecast of each team",
		description: "`null` with fewer than 7 whole days of spending ([budgets](budgets.md#what-the-end-depends-on)).",
		permission: "budget:read",
		output: budgetOutlookSchema,
		input: budgetOutlookInput,
		procedure: "query",
	}),
	add: operation({
		method: "POST",
		path: "/budgets",
		summary: "Add a budget to the policy, or propose it to a second person",
		description: "202 when a second person must approve. `scope` is CEL over a job; the default is every job.",
		permission: "budget:change",
		example: { id: "nlp-month", scope: 'job.team == "nlp"', period: "month", capUsd: "4000", message: "A cap for the new team" },
		output: capChangedSchema,
		input: addBudgetInput,
		status: [201, 202],
		write: true,
		procedure: "mutation",
	}),
	changeCap: operation({
		method: "PUT",
		path: "/budgets/{id}",
		summary: "Change a budget's cap, or propose it to a second person",
		description: "202 when a second person must approve.",
		permission: "budget:change",
		example: { capUsd: "50000", message: "New quarter" },
		output: capChangedSchema,
		wire: { id: "budgetId" },
		input: changeCapInput,
		status: [200, 202],
		write: true,
		procedure: "mutation",
	}),
};
