import type { contract } from "#server/contract/contract.ts";
import type { Operation } from "#server/contract/operation.ts";
import { approvalOperations } from "./approvals.ts";
import { artifactOperations } from "./artifacts.ts";
import type { Bound } from "./bind.ts";
import { alertOperations, budgetOperations, channelOperations } from "./budgets.ts";
import { companyOperations } from "./company.ts";
import { jobOperations } from "./jobs.ts";
import { pipelineOperations } from "./pipelines.ts";

type BindingsOf<Contract> = {
	[Group in keyof Contract]?: {
		// biome-ignore lint/suspicious/noExplicitAny: services answer with many types
		[Name in keyof Contract[Group]]: Contract[Group][Name] extends infer O extends Operation ? Bound<O, any> : never;
	};
};

/** Each operation of the contract with its service. */
export const BOUND = {
	job: jobOperations,
	pipeline: pipelineOperations,
	artifact: artifactOperations,
	budget: budgetOperations,
	approval: approvalOperations,
	alert: alertOperations,
	channel: channelOperations,
	company: companyOperations,
} satisfies BindingsOf<typeof contract>;
