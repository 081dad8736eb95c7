import { and, eq, gt, isNull, or } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { account, apiToken } from "#server/db/schema/account.ts";
import { customRole } from "#server/db/schema/custom-role.ts";
import { TOKEN_SCOPES } from "#server/domain/token-scopes.ts";
import { microToUsdNumber } from "#server/kernel/money.ts";
import type { Actor } from "#server/services/core/context.ts";
import { ITS_CUSTOM_ROLE, personOf } from "#server/services/core/custom-role.ts";
import { hashToken } from "#server/services/governance/token/issue.ts";
import { recordTokenUse } from "#server/services/governance/token/record-use.ts";

/** How long a token lookup is cached: a revoked token works for at most this long. */
const CACHE_MS = 5_000;
const CACHE_MAX = 1_000;
const LAST_USED_STEP_MS = 60_000;

interface Known {
	actor: Actor | null;
	readAtMs: number;
	usedWrittenMs: number;
}

/** Finds the account of a token. One lookup per token every five seconds. */
export class TokenAuthenticator {
	readonly #db: Db;
	readonly #demo: boolean;
	readonly #known = new Map<string, Known>();
	/** `demo`: whether tokens of demo accounts are accepted; outside demo mode they are not. */
	constructor(db: Db, options: { demo: boolean } = { demo: false }) {
		this.#db = db;
		this.#demo = options.demo;
	}

	/** null when the token is unknown, revoked or expired, or its account is disabled or belongs to a demo that has ended. */
	async actorOf(token: string, nowMs: number): Promise<Actor | null> {
		const hash = hashToken(token);
		const cached = this.#known.get(hash);
		// A clock that was set back must not prolong it.
		if (cached && nowMs >= cached.readAtMs && nowMs - cached.readAtMs < CACHE_MS) return cached.actor;
		const [row] = await this.#db
			.select({
				tokenId: apiToken.id,
				scopes: apiToken.scopes,
				approvalAboveMicroUsd: apiToken.approvalAboveMicroUsd,
				id: account.id,
				name: account.name,
				role: account.role,
				teams: account.teams,
				custom: { name: customRole.name, permissions: customRole.permissions },
			})
			.from(apiToken)
			.innerJoin(account, eq(account.id, apiToken.accountId))
			.leftJoin(customRole, ITS_CUSTOM_ROLE)
			.where(
				and(
					eq(apiToken.hash, hash),
					isNull(apiToken.revokedAt),
					or(isNull(apiToken.expiresAt), gt(apiToken.expiresAt, new Date(nowMs))),
					isNull(account.disabledAt),
					this.#demo ? undefined : eq(account.demo, false),
				),
			);
		const actor: Actor | null = row
			? {
					...personOf(row, row.custom, "token"),
					...(row.approvalAboveMicroUsd !== null && { approvalAboveUsd: microToUsdNumber(row.approvalAboveMicroUsd) }),
					...(row.scopes && { scopes: TOKEN_SCOPES.filter((scope) => row.scopes?.includes(scope)) }),
				}
			: null;
		let usedWrittenMs = cached?.usedWrittenMs ?? 0;
		if (row && nowMs - usedWrittenMs > LAST_USED_STEP_MS) {
			usedWrittenMs = nowMs;
			await recordTokenUse(this.#db, row.tokenId, nowMs);
		}
		if (this.#known.size >= CACHE_MAX) this.#known.clear();
		this.#known.set(hash, { actor, readAtMs: nowMs, usedWrittenMs });
		return actor;
	}
}
