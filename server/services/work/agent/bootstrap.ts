import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/**
 * The one-time secret that an instance presents when its agent enrolls. Derived, so that a repeated launch call has the same user-data;
 * base64url, 43 characters.
 */
export function bootstrapSecretOf(secretKey: string, instanceId: string): string {
	return createHmac("sha256", secretKey).update(`bootstrap:${instanceId}`).digest("base64url");
}

/** The stored form of the secret, sha256 in hex. */
export function bootstrapHashOf(secretKey: string, instanceId: string): string {
	return sha256Of(bootstrapSecretOf(secretKey, instanceId));
}

/**
 * The token for all later calls. It depends on the agent's nonce: an agent that lost the answer repeats the call with the same nonce and
 * gets the same token, while anyone who learns the bootstrap secret later, without the nonce, gets nothing.
 */
export function agentTokenOf(secretKey: string, instanceId: string, nonce: string): string {
	return createHmac("sha256", secretKey).update(`agent:${instanceId}:${nonce}`).digest("base64url");
}

export function sha256Of(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

/** Compares two hashes in constant time. */
export function sameSum(a: string, b: string): boolean {
	return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
