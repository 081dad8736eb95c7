import { and, eq, gt, isNull, or } from "drizzle-orm";
import type { z } from "zod";
import { createTokenInput } from "#server/contract/inputs/account.ts";
import { account, apiToken } from "#server/db/schema/account.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { issueToken } from "./issue.ts";

const TOKENS_MAX = 50;

/**
 * Creates a token for the caller, or for a service account. The token is returned once.
 * @throws SpillwayError `forbidden` for another person's account; `not_found`; `conflict` when there are already 50 tokens; ZodError
 */
export async function createToken(
	ctx: ServiceContext,
	raw: z.input<typeof createTokenInput>,
): Promise<{ id: string; token: string; expiresAt: string }> {
	authorize(ctx, "token:manage", null);
	const { name, scopes, expiresInDays, approvalAboveUsd, accountId = ownId(ctx) } = createTokenInput.parse(raw);
	const own = ctx.actor.kind === "person" ? ctx.actor.approvalAboveUsd : undefined;
	if (own !== undefined && (approvalAboveUsd ?? Number.POSITIVE_INFINITY) > own)
		throw new SpillwayError("forbidden", `Your token's jobs need approval above $${own}; a new one cannot have a higher limit.`, {
			fix: `Set approvalAboveUsd to at most ${own}, or sign in.`,
		});
	const nowMs = ctx.clock.nowMs();
	const expiresAtMs = nowMs + expiresInDays * DAY_MS;
	return ctx.db.transaction(async (tx) => {
		const [owner] = await tx.select().from(account).where(eq(account.id, accountId)).for("update");
		if (accountId !== ownId(ctx)) {
			authorize(ctx, "account:manage", null);
			if (!owner) throw new SpillwayError("not_found", `There is no account ${accountId}.`);
			if (!owner.service)
				throw new SpillwayError("forbidden", "People create their own tokens.", { fix: "Create it for a service account." });
		}
		const isLive = and(isNull(apiToken.revokedAt), or(isNull(apiToken.expiresAt), gt(apiToken.expiresAt, new Date(nowMs))));
		if ((await tx.$count(apiToken, and(eq(apiToken.accountId, accountId), isLive))) >= TOKENS_MAX)
			throw new SpillwayError("conflict", `The account has ${TOKENS_MAX} tokens.`, { fix: "Revoke one first." });
		const made = await issueToken(tx, {
			...{ accountId, name, scopes, expiresAtMs, nowMs },
			approvalAboveMicroUsd: approvalAboveUsd === undefined ? null : usdToMicro(approvalAboveUsd),
		});
		const expiresAt = new Date(expiresAtMs).toISOString();
		await writeAudit(tx, ctx, {
			action: "token.create",
			subject: made.id,
			after: { accountId, name, scopes, expiresAt, approvalAboveUsd },
		});
		return { ...made, expiresAt };
	});
}

/** @throws SpillwayError `forbidden` for the system, which has no account */
export function ownId(ctx: Pick<ServiceContext, "actor">): string {
	if (ctx.actor.kind === "person") return ctx.actor.accountId;
	throw new SpillwayError("forbidden", "Only people have tokens.");
}
