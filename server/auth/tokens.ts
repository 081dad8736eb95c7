import { createHash, randomBytes } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { account, apiToken } from "#server/db/schema/account.ts";
import { newId } from "#server/kernel/ids.ts";
import type { Actor } from "#server/services/context.ts";

const PREFIX = "spw_";

export function hashToken(token: string): string {
	return createHash("sha256").update(token).digest("hex");
}

/** Makes a token for an account; it is shown once, and only its hash is kept. */
export async function issueToken(db: DbOrTx, input: { accountId: string; name: string; nowMs: number; token?: string }): Promise<string> {
	const token = input.token ?? `${PREFIX}${randomBytes(32).toString("base64url")}`;
	await db
		.insert(apiToken)
		.values({
			id: newId("tok", input.nowMs),
			accountId: input.accountId,
			name: input.name,
			hash: hashToken(token),
			createdAt: new Date(input.nowMs),
		})
		.onConflictDoNothing({ target: apiToken.hash });
	return token;
}

/** How long an answer of the token table is believed: a revoked token works for at most this long. */
const CACHE_MS = 5_000;
const CACHE_MAX = 1_000;
const LAST_USED_STEP_MS = 60_000;

interface Known {
	actor: Actor | null;
	readAtMs: number;
	usedWrittenMs: number;
}

/** Finds whose token it is. One table look-up per token and five seconds. */
export class TokenAuthenticator {
	readonly #db: Db;
	readonly #demo: boolean;
	readonly #known = new Map<string, Known>();
	/** `demo`: whether the tokens of demo accounts are taken; outside of demo mode they are not. */
	constructor(db: Db, options: { demo: boolean } = { demo: false }) {
		this.#db = db;
		this.#demo = options.demo;
	}

	/** null when the token is unknown, revoked, or its account disabled or of a demo that is over. */
	async actorOf(token: string, nowMs: number): Promise<Actor | null> {
		const hash = hashToken(token);
		const cached = this.#known.get(hash);
		// A clock that was put back must not prolong it.
		if (cached && nowMs >= cached.readAtMs && nowMs - cached.readAtMs < CACHE_MS) return cached.actor;
		const [row] = await this.#db
			.select({ tokenId: apiToken.id, id: account.id, name: account.name, role: account.role, teams: account.teams })
			.from(apiToken)
			.innerJoin(account, eq(account.id, apiToken.accountId))
			.where(
				and(
					eq(apiToken.hash, hash),
					isNull(apiToken.revokedAt),
					isNull(account.disabledAt),
					this.#demo ? undefined : eq(account.demo, false),
				),
			);
		const actor: Actor | null = row
			? { kind: "person", accountId: row.id, name: row.name, role: row.role, teams: row.teams, via: "token" }
			: null;
		let usedWrittenMs = cached?.usedWrittenMs ?? 0;
		if (row && nowMs - usedWrittenMs > LAST_USED_STEP_MS) {
			usedWrittenMs = nowMs;
			await this.#db
				.update(apiToken)
				.set({ lastUsedAt: new Date(nowMs) })
				.where(eq(apiToken.id, row.tokenId));
		}
		if (this.#known.size >= CACHE_MAX) this.#known.clear();
		this.#known.set(hash, { actor, readAtMs: nowMs, usedWrittenMs });
		return actor;
	}
}
