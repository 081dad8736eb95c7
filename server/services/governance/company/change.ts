import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { companyChangeSchema } from "#server/contract/company.ts";
import type { FieldProblem } from "#server/kernel/errors.ts";
import type { SiteContext } from "#server/services/capacity/site/tools.ts";
import type { StoreContext } from "#server/services/capacity/store/box.ts";
import type { ChannelContext } from "#server/services/notification/channel/schemas.ts";
import type { GroupMapContext } from "../group-map/list.ts";

/** Sites, stores, channels and groups need the process's tools, secret and group map. */
export type CompanyContext = SiteContext & StoreContext & ChannelContext & GroupMapContext;

export type ChangeView = z.output<typeof companyChangeSchema>;

export interface Change extends ChangeView {
	/** Changes are applied in the order of the plan, in one transaction. */
	apply(ctx: CompanyContext): Promise<unknown>;
}

/** Result of one part of the plan. */
export interface PlanPart {
	changes: Change[];
	/** Differences that are ignored, with the reason. */
	skipped: string[];
	/** Errors, at paths of the file. */
	problems: { at: readonly PropertyKey[]; message: string }[];
	/** Errors that already have their position. */
	located?: FieldProblem[];
}

export const SECRET = "(secret)";

/** The fields of `after` that differ from `before`. An undefined value is the same as null. */
export function differences(
	before: Readonly<Record<string, unknown>> | null,
	after: Readonly<Record<string, unknown>>,
): ChangeView["fields"] {
	const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));
	return Object.entries(after)
		.map(([field, value]) => ({ field, given: value ?? null, known: before?.[field] ?? null }))
		.filter(({ given, known }) => !isDeepStrictEqual(given, known))
		.map(({ field, given, known }) => ({ field, before: json(known), after: json(given) }));
}
