import { createHash } from "node:crypto";
import { z } from "zod";

/** Far larger than any document that the clouds sign. Everything that crosses the wire has a limit. */
const DOCUMENT_CHARACTERS = 32 * 1024;

const base64 = z.string().regex(/^[A-Za-z0-9+/\s]+={0,2}\s*$/, "must be base64");

/**
 * A document that a provider signed for its machine, from the metadata service. `gcp`: a JWT. `aws`: the PKCS #7 message of
 * `instance-identity/rsa2048`, which contains the document. `azure`: the `signature` of `attested/document`, also a PKCS #7
 * message.
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
 * The challenge of a document, so that replayed and foreign documents are detected. Both sides derive it from the agent's nonce
 * for this enrolment without revealing the nonce.
 */
export interface IdentityChallenge {
	/** Address at the control plane, used as Google's audience. */
	audience: string;
	/** Ten digits, the most that Azure's nonce allows. */
	digits: string;
}

/** @param nonce of the enrolment request */
export function identityChallenge(controlUrl: string, instanceId: string, nonce: string): IdentityChallenge {
	const sum = createHash("sha256").update(`identity:${instanceId}:${nonce}`).digest();
	const digits = (sum.readBigUInt64BE() % 10_000_000_000n).toString().padStart(10, "0");
	return { audience: `${controlUrl.replace(/\/+$/, "")}/agent/v1/enroll/${instanceId}/${sum.toString("base64url")}`, digits };
}
