import { and, desc, eq, isNull } from "drizzle-orm";
import { account, apiToken } from "#server/db/schema/account.ts";
import { microToUsdNumber } from "#server/kernel/money.ts";
import { allows, authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ownId } from "./create.ts";

export interface TokenView {
	id: string;
	name: string;
	owner: { id: string; name: string; service: boolean };
	/** Null for every scope. */
	scopes: string[] | null;
	/** Null when only policies require approval for its jobs. */
	approvalAboveUsd: number | null;
	createdAt: string;
	/** Null for never. */
	expiresAt: string | null;
	/** To the minute; null for never used. */
	lastUsedAt: string | null;
}

const LIST_MAX = 1_000;

/** Tokens that are not revoked, newest first: the caller's own, or everyone's for administrators. */
export async function listTokens(ctx: ServiceContext): Promise<TokenView[]> {
	authorize(ctx, "token:manage", null);
	const rows = await ctx.db
		.select({ token: apiToken, owner: { id: account.id, name: account.name, service: account.service } })
		.from(apiToken)
		.innerJoin(account, eq(account.id, apiToken.accountId))
		.where(and(isNull(apiToken.revokedAt), allows(ctx, "account:manage", null) ? undefined : eq(apiToken.accountId, ownId(ctx))))
		.orderBy(desc(apiToken.createdAt), desc(apiToken.id))
		.limit(LIST_MAX);
	return rows.map(({ token, owner }) => ({
		...{ id: token.id, name: token.name, owner, scopes: token.scopes, createdAt: token.createdAt.toISOString() },
		approvalAboveUsd: token.approvalAboveMicroUsd === null ? null : microToUsdNumber(token.approvalAboveMicroUsd),
		expiresAt: token.expiresAt?.toISOString() ?? null,
		lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
	}));
}
