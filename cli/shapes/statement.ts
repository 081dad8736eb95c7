import { z } from "zod";
import { STATEMENT_LINES } from "#server/domain/statement.ts";
import { micro } from "./parts.ts";

const statementSums = z.looseObject({ effectiveMicroUsd: micro, gpuMs: micro });

const statementRow = z.looseObject({ sums: statementSums, previous: statementSums.nullable() });

export const statementShape = z.looseObject({
	state: z.string(),
	changedSince: z.looseObject({ deltaMicroUsd: micro, charges: z.number() }).nullable(),
	shown: z
		.looseObject({
			version: z.number(),
			sha256: z.string(),
			closedAt: z.string(),
			closedBy: z.string(),
			signatures: z.array(z.looseObject({ name: z.string(), signedAt: z.string() })),
		})
		.nullable(),
	content: z.looseObject({
		month: z.string(),
		team: z.string(),
		totals: statementSums,
		previousTotals: statementSums.nullable(),
		lines: z.array(statementRow.extend({ key: z.enum(STATEMENT_LINES).or(z.string()) })),
		savings: z.array(z.looseObject({ key: z.string(), microUsd: micro.nullable(), hours: z.string().nullable(), reckoned: z.string() })),
		waste: z.array(z.looseObject({ key: z.string(), microUsd: micro, gpuMs: micro })),
	}),
});

export type StatementShape = z.infer<typeof statementShape>;
