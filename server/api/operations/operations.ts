import type { contract } from "#server/contract/contract.ts";
import type { Operation } from "#server/contract/operation.ts";
import { accountOperations, notificationOperations, setupOperations, teamOperations, tokenOperations } from "./accounts.ts";
import { approvalOperations } from "./approvals.ts";
import { artifactOperations } from "./artifacts.ts";
import { auditOperations } from "./audit.ts";
import { backtestOperations, shadowOperations } from "./backtests.ts";
import type { Bound } from "./bind.ts";
import { billOperations, statementOperations } from "./books.ts";
import { alertOperations, budgetOperations, channelOperations } from "./budgets.ts";
import { forecastOperations, instanceOperations, offerOperations, overviewOperations, siteOperations } from "./capacity.ts";
import { companyOperations } from "./company.ts";
import { currencyOperations } from "./currency.ts";
import { groupMappingOperations } from "./group-mappings.ts";
import { jobOperations } from "./jobs.ts";
import { performanceOperations } from "./performance.ts";
import { pipelineOperations } from "./pipelines.ts";
import { planOperations } from "./plans.ts";
import { draftOperations, policyOperations } from "./policies.ts";
import { dataSetOperations, ratesOperations } from "./rates.ts";
import { roleOperations } from "./roles.ts";
import { searchOperations } from "./search.ts";
import { secretOperations } from "./secrets.ts";
import { carbonOperations, ledgerOperations, spendOperations } from "./spend.ts";
import { storeOperations } from "./stores.ts";
import { templateOperations } from "./templates.ts";
import { triggerOperations } from "./triggers.ts";
import { viewOperations } from "./views.ts";

type BindingsOf<Contract> = {
	[Group in keyof Contract]: {
		// biome-ignore lint/suspicious/noExplicitAny: services answer with many types
		[Name in keyof Contract[Group]]: Contract[Group][Name] extends infer O extends Operation ? Bound<O, any> : never;
	};
};

/** Each operation of the contract with its service. */
export const BOUND = {
	job: jobOperations,
	view: viewOperations,
	pipeline: pipelineOperations,
	trigger: triggerOperations,
	template: templateOperations,
	performance: performanceOperations,
	artifact: artifactOperations,
	site: siteOperations,
	instance: instanceOperations,
	offer: offerOperations,
	forecast: forecastOperations,
	overview: overviewOperations,
	search: searchOperations,
	policy: policyOperations,
	draft: draftOperations,
	backtest: backtestOperations,
	shadow: shadowOperations,
	plan: planOperations,
	spend: spendOperations,
	ledger: ledgerOperations,
	carbon: carbonOperations,
	budget: budgetOperations,
	approval: approvalOperations,
	alert: alertOperations,
	channel: channelOperations,
	company: companyOperations,
	rates: ratesOperations,
	currency: currencyOperations,
	dataSet: dataSetOperations,
	store: storeOperations,
	statement: statementOperations,
	bill: billOperations,
	audit: auditOperations,
	secret: secretOperations,
	token: tokenOperations,
	account: accountOperations,
	role: roleOperations,
	notification: notificationOperations,
	team: teamOperations,
	groupMapping: groupMappingOperations,
	setup: setupOperations,
} satisfies BindingsOf<typeof contract>;
