import { z } from "zod";
import { chargesQueryInput, refundInput, spendQueryInput, TIME_RANGE, varianceQueryInput } from "./inputs/spend.ts";
import { operation } from "./operation.ts";
import { chargePageSchema, jobSpendSchema, ledgerCheckSchema, refundSchema, spendSchema, varianceSchema } from "./outputs/spend.ts";

export const spend = {
	by: operation({
		method: "GET",
		path: "/spend",
		summary: "Get owned, idle and cloud cost by dimension, by time or by job",
		description:
			"By `day`, `week`, `month`, `job` or a dimension; the last 30 days by team by default. An empty filter value selects what has none. `currency` adds the amounts in another [currency](currencies.md), by default the reporting currency; not by job.",
		permission: "spend:read",
		example: { from: "2026-11-01", to: "2026-12-01", groupBy: "team" },
		output: z.union([spendSchema, jobSpendSchema]),
		wire: TIME_RANGE,
		input: spendQueryInput,
	}),
	variance: operation({
		method: "GET",
		path: "/spend/variance",
		summary: "Explain why spend differs from the range before",
		description: "The change by cause and line of work ([variance](costs.md#why-spend-changed)). Its parts add up to the micro-dollar.",
		permission: "spend:read",
		example: { from: "2026-11-01", to: "2026-12-01" },
		output: varianceSchema.nullable(),
		wire: TIME_RANGE,
		input: varianceQueryInput,
	}),
	charges: operation({
		method: "GET",
		path: "/charges",
		summary: "List the charges behind a number, newest first, with totals of the selection",
		description:
			"`cause` is the id of a machine, an allocation, a pool or a bill line; `correction` a reason such as `bill_price`; `lost` how attempts ended, or `any`; `asOf=2026-11/1` the ledger at [a closing](statements.md#versions), with what was posted `later`; `since` what came after it; `budget` what a [budget](budgets.md) counts, in its current period or that of the day `period`.",
		permission: "charge:read",
		example: { budget: "cloud-month", team: "research" },
		output: chargePageSchema,
		wire: { ...TIME_RANGE, job: "jobId" },
		input: chargesQueryInput,
	}),
	refund: operation({
		method: "POST",
		path: "/charges/{id}/refund",
		summary: "Refund a cloud machine's charge, fully or in part",
		description: "Without `amountUsd`, all that is left of the charge ([refunds](costs.md#refunds)).",
		permission: "rates:change",
		example: { amountUsd: "12.50", reason: "The machine never started" },
		output: refundSchema,
		wire: { id: "chargeId" },
		input: refundInput,
		status: 201,
		write: true,
		procedure: "mutation",
	}),
};

export const ledger = {
	get: operation({
		method: "GET",
		path: "/ledger",
		summary: "Get the ledger's time zone and the result of its last check",
		permission: "spend:read",
		output: z.object({ zone: z.string(), lastCheck: ledgerCheckSchema.nullable() }),
	}),
	setZone: operation({
		method: "PUT",
		path: "/ledger/zone",
		summary: "Set the ledger's time zone, before the first charge",
		permission: "rates:change",
		example: { zone: "Europe/Berlin" },
		output: z.object({ zone: z.string() }),
		input: z.strictObject({ zone: z.string().min(1).max(64) }),
		write: true,
	}),
};
