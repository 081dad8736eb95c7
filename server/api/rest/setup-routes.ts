import { firstPolicyInput } from "#server/domain/first-policy.ts";
import { previewFirstPolicy } from "#server/services/governance/setup/preview-policy.ts";
import { companyInput, getSetup, saveCompany, skipInput, skipStep } from "#server/services/governance/setup/state.ts";
import { ok, type Route } from "./route.ts";

export const setupRoutes: Route[] = [
	{
		method: "GET",
		path: "/setup",
		summary: "Read which set-up steps are done, skipped or open",
		permission: "account:manage",
		handle: async (ctx) => ok(await getSetup(ctx)),
	},
	{
		method: "PUT",
		path: "/setup/company",
		summary: "Save the company's time zone, before the first charge",
		permission: "account:manage",
		body: companyInput,
		handle: async (ctx, { body }) => ok(await saveCompany(ctx, companyInput.parse(body))),
	},
	{
		method: "POST",
		path: "/setup/skip",
		summary: "Skip a set-up step",
		permission: "account:manage",
		body: skipInput,
		handle: async (ctx, { body }) => ok(await skipStep(ctx, skipInput.parse(body))),
	},
	{
		method: "POST",
		path: "/setup/policy",
		summary: "Build the first policy from four answers, without saving it",
		permission: "policy:publish",
		body: firstPolicyInput,
		handle: async (ctx, { body }) => ok(await previewFirstPolicy(ctx, firstPolicyInput.parse(body))),
	},
];
