import { company } from "#server/contract/company.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { applyCompany } from "#server/services/governance/company/apply.ts";
import type { CompanyContext } from "#server/services/governance/company/change.ts";
import { planCompany } from "#server/services/governance/company/plan.ts";
import type { OperationContext } from "../operation-context.ts";
import { bind } from "./bind.ts";

export const companyOperations = {
	plan: bind(company.plan, (ctx, input) => planCompany(withTools(ctx), input)),
	apply: bind(company.apply, (ctx, input) => applyCompany(withTools(ctx), input)),
};

function withTools(ctx: OperationContext): CompanyContext {
	const { siteTools, stores } = ctx;
	if (siteTools && stores) return { ...ctx, siteTools, stores };
	throw new SpillwayError("unavailable", "This process cannot open sites and stores.", { fix: "Send the request to the web server." });
}
