import { z } from "zod";
import { closeInput, getStatementInput, listStatementsInput, STATEMENT_FORMATS, signInput } from "./inputs/statement.ts";
import { operation } from "./operation.ts";
import { closedMonthSchema, statementListSchema, statementSchema } from "./outputs/statement.ts";
import { instant } from "./parts.ts";

export const statement = {
	list: operation({
		method: "GET",
		path: "/statements",
		summary: "List months and the state of their statements, newest first",
		permission: "statement:read",
		output: statementListSchema.extend({ nextCursor: z.null() }),
		input: listStatementsInput,
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/statements/{month}",
		summary: "Get a month's statement: the newest version, or a preview",
		description: "`format=json`, `csv` or `pdf` ([statements](statements.md)).",
		permission: "statement:read",
		example: { team: "research", format: "pdf" },
		output: statementSchema,
		input: getStatementInput.extend({ format: z.enum(STATEMENT_FORMATS).optional() }),
		procedure: "query",
		media: ["text/csv", "application/pdf"],
	}),
	close: operation({
		method: "POST",
		path: "/statements/{month}/close",
		summary: "Close a finished month, or close it again with a reason",
		description: "`correction` says why the month needs another version.",
		permission: "statement:close",
		output: closedMonthSchema,
		input: closeInput,
		status: 201,
		write: true,
		procedure: "mutation",
	}),
	sign: operation({
		method: "POST",
		path: "/statements/{month}/sign",
		summary: "Sign the newest version of a statement",
		permission: "statement:sign",
		output: z.object({ version: z.number(), sha256: z.string(), signedAt: instant }),
		input: signInput,
		status: 201,
		write: true,
		procedure: "mutation",
	}),
};
