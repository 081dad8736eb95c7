import { createHash, randomBytes } from "node:crypto";
import type { DbOrTx } from "#server/db/client.ts";
import { apiToken } from "#server/db/schema/account.ts";
import type { TokenScope } from "#server/domain/token-scopes.ts";
import { newId } from "#server/kernel/ids.ts";

const PREFIX = "spw_";

export function hashToken(token: string): string {
	return createHash("sha256").update(token).digest("hex");
}

export interface IssueInput {
	accountId: string;
	name: string;
	nowMs: number;
	token?: string;
	/** null: every scope. */
	scopes?: readonly TokenScope[] | null;
	expiresAtMs?: number | null;
	approvalAboveMicroUsd?: bigint | null;
}

/** Creates a token for an account. It is returned once; only its hash is stored. */
export async function issueToken(db: DbOrTx, input: IssueInput): Promise<{ id: string; token: string }> {
	const token = input.token ?? `${PREFIX}${randomBytes(32).toString("base64url")}`;
	const id = newId("tok", input.nowMs);
	await db
		.insert(apiToken)
		.values({
			...{ id, accountId: input.accountId, name: input.name, hash: hashToken(token), scopes: input.scopes ? [...input.scopes] : null },
			approvalAboveMicroUsd: input.approvalAboveMicroUsd ?? null,
			createdAt: new Date(input.nowMs),
			expiresAt: input.expiresAtMs == null ? null : new Date(input.expiresAtMs),
		})
		.onConflictDoNothing({ target: apiToken.hash });
	return { id, token };
}
