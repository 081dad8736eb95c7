import { z } from "zod";
import { currencyCode } from "./currency.ts";

/** e.g. `2026-11`. */
export const monthSchema = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, "must be a month such as 2026-11");

/** "" is the company. */
export const statementTeam = z.string().max(128).default("");

export const closeInput = z.strictObject({
	month: monthSchema,
	/** Why the month needs another version. Required once it was closed. */
	correction: z.string().trim().min(3).max(2_000).optional(),
});

export const getStatementInput = z.strictObject({
	month: monthSchema,
	team: statementTeam,
	/** Default: the newest, or the preview of a month that is not closed; 0 is always the preview. */
	version: z.number().int().min(0).max(1_000_000).optional(),
	/** For a preview; default: the reporting currency. A closed version keeps its own. */
	currency: currencyCode.optional(),
});

export const listStatementsInput = z.strictObject({
	/** "" is the company; default: the company, or the person's first team if they may not see that. */
	team: z.string().max(128).optional(),
});

export const signInput = z.strictObject({
	month: monthSchema,
	team: statementTeam,
	/** Of the statement that the person has read, so that another one is never signed by accident. */
	sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be the sha256 shown on the statement"),
});

export const STATEMENT_FORMATS = ["json", "csv", "pdf"] as const;
