import { z } from "zod";
import { BUDGET_PERIODS } from "#server/domain/policy.ts";
import { SAVING_KEYS, STATEMENT_LINES, STATEMENT_STATES, WASTE_KEYS } from "#server/domain/statement.ts";
import { VARIANCE_CAUSES } from "#server/domain/variance-cause.ts";
import { CAPACITY_TYPES, PROVIDERS, ROLES } from "#server/domain/vocabulary.ts";
import { instant, integerText } from "../parts.ts";

export const changedSinceSchema = z
	.object({
		deltaMicroUsd: integerText,
		charges: z.number(),
	})
	.meta({ id: "ChangedSince" });

export const statementMonthSchema = z
	.object({
		month: z.string(),
		fromMs: z.number(),
		toMs: z.number(),
		state: z.enum(STATEMENT_STATES),
		ledgerMicroUsd: integerText,
		closed: z
			.object({
				version: z.number(),
				totalMicroUsd: integerText,
				ownedMicroUsd: integerText,
				cloudMicroUsd: integerText,
				closedAt: instant,
				signedBy: z.array(z.string()),
				changedSince: changedSinceSchema.nullable(),
			})
			.nullable(),
	})
	.meta({ id: "StatementMonth" });

export const statementListSchema = z
	.object({
		team: z.string().nullable(),
		teams: z.array(z.string()),
		items: z.array(statementMonthSchema),
		closing: z.object({
			day: z.number(),
			mayChange: z.boolean(),
		}),
	})
	.meta({ id: "StatementList" });

export const statementSumsSchema = z
	.object({
		effectiveMicroUsd: integerText,
		billedMicroUsd: integerText,
		listMicroUsd: integerText,
		gpuMs: integerText,
		energyMilliWh: integerText,
		emissionsMilligrams: integerText,
	})
	.meta({ id: "StatementSums" });

export const statementItemSchema = z
	.object({
		project: z.string(),
		line: z.enum(STATEMENT_LINES),
		provider: z.enum(PROVIDERS),
		capacityType: z.enum(CAPACITY_TYPES),
		accelerator: z.string(),
		sums: statementSumsSchema,
	})
	.meta({ id: "StatementItem" });

export const statementCarbonSchema = z
	.object({
		operationalMilligrams: integerText,
		marketMilligrams: integerText,
		embodiedMilligrams: integerText,
		energyMilliWh: integerText,
		measuredEnergyMilliWh: integerText,
		hourlyGridMilliWh: integerText,
		unknownGpuMs: integerText,
		marketUnknownGpuMs: integerText,
		embodiedUnknownGpuMs: integerText,
	})
	.meta({ id: "StatementCarbon" });

export const statementBudgetSchema = z
	.object({
		id: z.string(),
		scope: z.string(),
		period: z.enum(BUDGET_PERIODS),
		periodKey: z.string(),
		capMicroUsd: integerText,
		postedMicroUsd: integerText,
		varianceMicroUsd: integerText,
		note: z.string().nullable(),
	})
	.meta({ id: "StatementBudget" });

export const statementBillSchema = z
	.object({
		provider: z.string(),
		resources: z.number(),
		unknown: z.number(),
		estimatedMicroUsd: integerText,
		billedMicroUsd: integerText,
		adjustedMicroUsd: integerText,
		unexplainedMicroUsd: integerText,
		note: z.string().nullable(),
	})
	.meta({ id: "StatementBill" });

export const statementContentSchema = z
	.object({
		month: z.string(),
		team: z.string(),
		version: z.number(),
		replaces: z.string().nullable(),
		fromMs: z.number(),
		toMs: z.number(),
		zone: z.string(),
		postedUntilMs: z.number(),
		postedUntilNumber: z.number().optional(),
		ledgerFromMs: z.number().optional(),
		variance: z
			.object({
				sentence: z.string().nullable(),
				beforeMicroUsd: integerText,
				afterMicroUsd: integerText,
				causes: z.array(z.object({ cause: z.enum(VARIANCE_CAUSES), microUsd: integerText })),
			})
			.optional(),
		inCurrency: z
			.object({
				currency: z.string(),
				rates: z.array(z.object({ date: z.string(), units: z.string(), usd: z.string(), source: z.string() })),
				totalMicro: integerText,
				sides: z.array(z.object({ key: z.enum(["owned", "cloud"]), micro: integerText })),
				lines: z.array(z.object({ key: z.enum(STATEMENT_LINES), micro: integerText })),
				byTeam: z.array(z.object({ key: z.string(), micro: integerText })),
				byProject: z.array(z.object({ key: z.string(), micro: integerText })),
			})
			.optional(),
		charges: z.number(),
		totals: statementSumsSchema,
		previousTotals: statementSumsSchema.nullable(),
		sides: z.array(
			z.object({
				key: z.enum(["owned", "cloud"]),
				sums: statementSumsSchema,
				previous: statementSumsSchema.nullable(),
			}),
		),
		lines: z.array(
			z.object({
				key: z.enum(STATEMENT_LINES),
				sums: statementSumsSchema,
				previous: statementSumsSchema.nullable(),
			}),
		),
		byTeam: z.array(
			z.object({
				key: z.string(),
				sums: statementSumsSchema,
			}),
		),
		byProject: z.array(
			z.object({
				key: z.string(),
				sums: statementSumsSchema,
			}),
		),
		items: z.array(statementItemSchema),
		topJobs: z.array(
			z.object({
				jobId: z.string(),
				name: z.string(),
				team: z.string(),
				state: z.string(),
				sums: statementSumsSchema,
			}),
		),
		savings: z.array(
			z.object({
				key: z.enum(SAVING_KEYS),
				microUsd: integerText.nullable(),
				hours: z.string().nullable(),
				reckoned: z.string(),
			}),
		),
		waste: z.array(
			z.object({
				key: z.enum(WASTE_KEYS),
				microUsd: integerText,
				gpuMs: integerText,
			}),
		),
		carbon: statementCarbonSchema,
		budgets: z.array(statementBudgetSchema),
		bills: z.array(statementBillSchema),
	})
	.meta({ id: "StatementContent" });

export const signatureSchema = z
	.object({
		accountId: z.string(),
		name: z.string(),
		role: z.enum(ROLES),
		signedAt: instant,
		closedItToo: z.boolean(),
	})
	.meta({ id: "Signature" });

export const statementDifferenceSchema = z
	.object({
		section: z.enum(["project", "team", "budget", "line", "waste", "saving", "bill", "total"]),
		key: z.string(),
		beforeMicroUsd: integerText.nullable(),
		afterMicroUsd: integerText.nullable(),
		deltaMicroUsd: integerText,
	})
	.meta({ id: "StatementDifference" });

export const statementVersionSchema = z
	.object({
		version: z.number(),
		sha256: z.string(),
		closedAt: instant,
		closedBy: z.string(),
		correction: z.string().nullable(),
		totalMicroUsd: integerText,
		signatures: z.array(signatureSchema),
		differences: z.array(statementDifferenceSchema),
	})
	.meta({ id: "StatementVersion" });

export const statementCheckSchema = z
	.object({
		key: z.enum(["lines_add_up", "projects_add_up", "teams_add_up", "bills_explained"]),
		ok: z.boolean().nullable(),
		offMicroUsd: integerText,
	})
	.meta({ id: "StatementCheck" });

export const sentToSchema = z
	.object({
		sent: z.number(),
		pending: z.number(),
		failed: z.number(),
		lastAt: instant.nullable(),
	})
	.meta({ id: "SentTo" });

export const statementSchema = z
	.object({
		content: statementContentSchema,
		currencyProblem: z.string().nullable(),
		state: z.enum(STATEMENT_STATES),
		over: z.boolean(),
		shown: statementVersionSchema.nullable(),
		intact: z.boolean().nullable(),
		changedSince: changedSinceSchema.nullable(),
		versions: z.array(statementVersionSchema),
		checks: z.array(statementCheckSchema),
		others: z.array(
			z.object({
				team: z.string(),
				state: z.enum(STATEMENT_STATES),
				totalMicroUsd: integerText,
			}),
		),
		sent: sentToSchema,
		may: z.object({
			close: z.boolean(),
			sign: z.boolean(),
			note: z.boolean(),
			readBills: z.boolean(),
		}),
	})
	.meta({ id: "Statement" });

export const closedMonthSchema = z
	.object({
		month: z.string(),
		written: z.array(
			z.object({
				id: z.string(),
				team: z.string(),
				version: z.number(),
				sha256: z.string(),
			}),
		),
		unchanged: z.array(z.string()),
	})
	.meta({ id: "ClosedMonth" });
