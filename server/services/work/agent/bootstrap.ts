import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/**
 * The secret that an instance shows once, when its agent enrols. Derived, so that a repeated launch call carries the
 * same user-data; base64url, 43 characters.
 */
export function bootstrapSecretOf(secretKey: string, instanceId: string): string {
	return createHmac("sha256", secretKey).update(`bootstrap:${instanceId}`).digest("base64url");
}

/** What is kept of it, sha256 in hex. */
export function bootstrapHashOf(secretKey: string, instanceId: string): string {
	return sha256Of(bootstrapSecretOf(secretKey, instanceId));
}

/**
 * The token for everything after. It hangs on the agent's nonce: an agent that lost the answer asks again with the same
 * nonce and gets the same token, while anyone who learns the bootstrap secret later, without the nonce, gets nothing.
 */
export function agentTokenOf(secretKey: string, instanceId: string, nonce: string): string {
	return createHmac("sha256", secretKey).update(`agent:${instanceId}:${nonce}`).digest("base64url");
}

export function sha256Of(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

/** Compares two sums in constant time. */
export function sameSum(a: string, b: string): boolean {
	return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
