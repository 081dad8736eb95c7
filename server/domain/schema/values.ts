import { z } from "zod";
import { parseDurationMs } from "../../kernel/units.ts";

/** Schemas of single values shared by several documents. Each names its type, for forms and editors. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;
export const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
export const NAME_RULE = 'must be 1 to 63 letters, digits, ".", "_" or "-", and start and end with a letter or digit';

export const name = () => z.string().regex(NAME, NAME_RULE).meta({ valueType: "name" });

/** Text that PostgreSQL can store: no NUL and no lone surrogate. */
export const text = (max: number) =>
	z
		.string()
		.max(max)
		.refine((s) => !s.includes("\u0000") && s.isWellFormed(), "must not contain NUL or broken Unicode characters");

export const line = (max: number) =>
	z
		.string()
		.min(1)
		.max(max)
		.refine((s) => !CONTROL.test(s) && s.isWellFormed(), "must not contain control characters");

export const absolutePath = () =>
	z
		.string()
		.min(1)
		.max(512)
		.refine((p) => !CONTROL.test(p) && p.isWellFormed() && !p.split("/").includes(".."), 'must not contain ".." or control characters')
		.meta({ valueType: "path" });

/** Text such as "6h", parsed to milliseconds: above 0 and at most `maxMs`. */
export const duration = (maxMs: number) =>
	z
		.string("must be a duration with a unit, for example 90s, 15m or 6h")
		.transform((written, ctx) => {
			const ms = parseDurationMs(written);
			if (ms !== null && ms > 0 && ms <= maxMs) return ms;
			ctx.addIssue({ code: "custom", message: `"${written}" is not a duration. Use for example 90s, 15m, 6h or 1h30m, at most 90d` });
			return z.NEVER;
		})
		.meta({ valueType: "duration" });

/** RFC 3339 text with a time zone, parsed to milliseconds since 1970. */
export const timestamp = () =>
	z
		.string()
		.transform((written, ctx) => {
			const match = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.exec(written);
			const ms = match ? Date.parse(written) : Number.NaN;
			// Date.parse rolls 30 February over into March.
			const lastDay = match ? new Date(Date.UTC(Number(match[1]), Number(match[2]), 0)).getUTCDate() : 0;
			if (!Number.isNaN(ms) && Number(match?.[3]) <= lastDay) return ms;
			ctx.addIssue({ code: "custom", message: `"${written}" is not a timestamp with a time zone. Use for example 2026-12-01T08:00:00Z` });
			return z.NEVER;
		})
		.meta({ valueType: "timestamp" });

export const wholeNumber = (min: number, max: number) => z.number().int("must be a whole number").min(min).max(max);

export const gib = (max: number) => z.number().positive().max(max).meta({ unit: "GiB" });
