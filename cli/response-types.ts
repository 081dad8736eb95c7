import type { z } from "zod";
import type { company } from "#server/contract/company.ts";
import type { approvalSchema } from "#server/contract/outputs/approval.ts";
import type { backtestSchema, shadowChoiceSchema, shadowSchema } from "#server/contract/outputs/backtest.ts";
import type { billSchema } from "#server/contract/outputs/bill.ts";
import type { offerSchema, siteSchema } from "#server/contract/outputs/capacity.ts";
import type { candidateSchema, decisionSchema } from "#server/contract/outputs/decision.ts";
import type { jobDetailSchema, jobSchema } from "#server/contract/outputs/job.ts";
import type { policyCheckSchema, policyDiffSchema, versionSchema } from "#server/contract/outputs/policy.ts";
import type { statementSchema } from "#server/contract/outputs/statement.ts";

// Names for parts of responses, as the contract defines them.

export type Approval = z.output<typeof approvalSchema>;
export type Backtest = z.output<typeof backtestSchema>;
export type Bill = z.output<typeof billSchema>;
/** From a quote with `deadlineRisk`: the probability of missing the deadline there, 0 to 1; null without a deadline. */
export type Candidate = z.output<typeof candidateSchema> & { deadlineRisk?: number | null | undefined };
export type CompanyChange = z.output<typeof company.plan.output>["changes"][number];
export type Decision = z.output<typeof decisionSchema>;
export type Diff = Omit<z.output<typeof policyDiffSchema>, "from" | "to">;
export type Job = z.output<typeof jobSchema>;
export type JobDetail = z.output<typeof jobDetailSchema>;
export type Offer = z.output<typeof offerSchema>;
export type Problem = z.output<typeof policyCheckSchema>["problems"][number];
export type Shadow = z.output<typeof shadowSchema>;
export type ShadowChoice = z.output<typeof shadowChoiceSchema>;
export type Site = z.output<typeof siteSchema>;
export type Statement = z.output<typeof statementSchema>;
export type Version = z.output<typeof versionSchema>;
