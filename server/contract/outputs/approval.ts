import { z } from "zod";
import { BUDGET_PERIODS } from "#server/domain/policy.ts";
import { JOB_STATES } from "#server/domain/states.ts";
import { ROLES, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { instant, integerText } from "../parts.ts";
import { placementSchema, reasonSchema } from "./shared.ts";

export const proposalBaseSchema = z
	.object({
		id: z.string(),
		message: z.string(),
		proposedBy: z.string(),
		proposedAt: instant,
		decision: z.enum(["approved", "rejected", "withdrawn"]).nullable(),
		decidedBy: z.string().nullable(),
		decidedAt: instant.nullable(),
		mine: z.boolean(),
	})
	.meta({ id: "ProposalBase" });

export const capProposalSchema = proposalBaseSchema
	.extend({
		kind: z.literal("budget_cap"),
		budgetId: z.string(),
		added: z.object({ scope: z.string(), period: z.enum(BUDGET_PERIODS) }).nullable(),
		fromMicroUsd: integerText,
		toMicroUsd: integerText,
		stale: z.boolean(),
		policyVersion: z.number(),
	})
	.meta({ id: "CapProposal" });

export const policyProposalSchema = proposalBaseSchema
	.extend({
		kind: z.literal("policy_publish"),
		policyName: z.string(),
		source: z.string(),
		rollbackTo: z.number().nullable(),
		origin: z
			.discriminatedUnion("kind", [
				z.object({
					kind: z.enum(["browser", "api", "cli", "seed"]),
				}),
				z.object({
					kind: z.literal("git"),
					repository: z.string(),
					commit: z.string(),
					path: z.string(),
				}),
			])
			.nullable(),
		backtestId: z.string().nullable(),
		noBacktestReason: z.string().nullable(),
		stale: z.boolean(),
		policyVersion: z.number(),
	})
	.meta({ id: "PolicyProposal" });

export const secondPersonOfSchema = z.enum(["policies", "budgets"]).meta({ id: "SecondPersonOf" });

export const secondPersonOffSchema = proposalBaseSchema
	.extend({
		kind: z.literal("second_person_off"),
		secondPersonOf: secondPersonOfSchema,
	})
	.meta({ id: "SecondPersonOff" });

export const proposalSchema = z
	.discriminatedUnion("kind", [capProposalSchema, policyProposalSchema, secondPersonOffSchema])
	.meta({ id: "Proposal" });

export const approvalQuoteSchema = z
	.object({
		placement: placementSchema,
		costMicroUsd: integerText,
		hourlyMicroUsd: integerText,
		startP50Ms: z.number(),
		homeStartP50Ms: z.number().nullable(),
		emissionsGrams: z.number().nullable(),
		decisionId: z.string().nullable(),
	})
	.meta({ id: "ApprovalQuote" });

export const approvalSchema = z
	.object({
		id: z.string(),
		state: z.enum(["open", "withdrawn", "granted", "refused", "expired"]),
		job: z.object({
			id: z.string(),
			name: z.string(),
			team: z.string(),
			class: z.enum(WORKLOAD_CLASSES),
			gpus: z.number(),
			state: z.enum(JOB_STATES),
			reason: reasonSchema,
			submittedBy: z.string(),
			submittedAt: instant,
			deadlineAt: instant.nullable(),
		}),
		ruleId: z.string(),
		condition: z.string().nullable(),
		policyName: z.string(),
		policyVersion: z.number(),
		role: z.enum(ROLES),
		quote: approvalQuoteSchema,
		requestedAt: instant,
		expiresAt: instant,
		upToMicroUsd: integerText.nullable(),
		decidedBy: z.string().nullable(),
		decidedAt: instant.nullable(),
		note: z.string().nullable(),
		mine: z.boolean(),
		mayAnswer: z.boolean(),
		budget: z
			.object({
				budgetId: z.string(),
				freeMicroUsd: integerText,
				capMicroUsd: integerText,
			})
			.nullable(),
	})
	.meta({ id: "Approval" });

export const decidedApprovalSchema = z
	.object({
		id: z.string(),
		jobId: z.string(),
		state: z.enum(["granted", "refused"]),
		upToMicroUsd: integerText.nullable(),
	})
	.meta({ id: "DecidedApproval" });
