import { createHash } from "node:crypto";
import { z } from "zod";

/** Larger than what the clouds sign by far; everything that crosses the wire has a bound. */
const DOCUMENT_CHARACTERS = 32 * 1024;

const base64 = z.string().regex(/^[A-Za-z0-9+/\s]+={0,2}\s*$/, "must be base64");

/**
 * What a provider signed for its machine, as its metadata service gave it. `gcp`: a JWT. `aws`: the PKCS #7 message of
 * `instance-identity/rsa2048`, the document in it. `azure`: the `signature` of `attested/document`, a PKCS #7 message too.
 */
export const identityDocumentSchema = z.discriminatedUnion("kind", [
	z.strictObject({
		kind: z.literal("gcp"),
		token: z
			.string()
			.max(DOCUMENT_CHARACTERS)
			.regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, "must be a signed JWT"),
	}),
	z.strictObject({ kind: z.literal("aws"), pkcs7: base64.max(DOCUMENT_CHARACTERS) }),
	z.strictObject({ kind: z.literal("azure"), pkcs7: base64.max(DOCUMENT_CHARACTERS) }),
]);
export type IdentityDocument = z.infer<typeof identityDocumentSchema>;

/**
 * What a document is asked for with, so that one that was asked for before, or for somebody else, is known as such. Both sides
 * compute it from what the agent drew for this enrolment, without giving that away.
 */
export interface IdentityChallenge {
	/** An address of the control plane, for Google's audience. */
	audience: string;
	/** Ten digits, all that Azure's nonce may have. */
	digits: string;
}

/** @param nonce of the enrolment request */
export function identityChallenge(controlUrl: string, instanceId: string, nonce: string): IdentityChallenge {
	const sum = createHash("sha256").update(`identity:${instanceId}:${nonce}`).digest();
	const digits = (sum.readBigUInt64BE() % 10_000_000_000n).toString().padStart(10, "0");
	return { audience: `${controlUrl.replace(/\/+$/, "")}/agent/v1/enroll/${instanceId}/${sum.toString("base64url")}`, digits };
}
