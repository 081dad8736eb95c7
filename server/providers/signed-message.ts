import { X509Certificate } from "node:crypto";
import * as pkijs from "pkijs";
import { type IdentityVerdict, refused } from "./instance-identity.ts";

/** sha256, sha384, sha512 (RFC 5754). Weaker hashes allow collisions. */
const DIGESTS = new Set(["2.16.840.1.101.3.4.2.1", "2.16.840.1.101.3.4.2.2", "2.16.840.1.101.3.4.2.3"]);

/** Why the message is invalid, as a message for users. */
class BadMessage extends Error {
	/** `too_weak`: signed with a weak hash, which proves nothing and is no sign of a forgery either. */
	readonly fault: "malformed" | "bad_signature" | "too_weak";
	constructor(fault: BadMessage["fault"], message: string) {
		super(message);
		this.fault = fault;
	}
}

/**
 * The verdict for a document that could not be read or is not valid.
 * @throws any other error
 */
export function verdictOf(error: unknown): IdentityVerdict {
	if (error instanceof SyntaxError) return refused("malformed", "the signed content is not valid JSON");
	if (!(error instanceof BadMessage)) throw error;
	return error.fault === "too_weak" ? { outcome: "unverifiable", message: error.message } : refused(error.fault, error.message);
}

/** A PKCS #7 message that contains its content and has one signer. */
export interface SignedMessage {
	content: Buffer;
	/** Certificates in the message; nothing vouches for them. */
	certificates: X509Certificate[];
	/**
	 * Returns which of these certificates' keys made the signature.
	 * @throws BadMessage if none did
	 */
	signedBy(candidates: readonly X509Certificate[]): Promise<X509Certificate>;
}

/**
 * @param text base64, with or without line breaks
 * @throws BadMessage
 */
export function readSignedMessage(text: string): SignedMessage {
	try {
		// In separate memory: the library reads the whole ArrayBuffer behind a Buffer.
		const der = new Uint8Array(Buffer.from(text.replace(/\s/g, ""), "base64"));
		const outer = pkijs.ContentInfo.fromBER(der);
		const signed = new pkijs.SignedData({ schema: outer.content });
		const content = signed.encapContentInfo.eContent?.getValue();
		if (content === undefined) throw new BadMessage("malformed", "the signed message has no content");
		const [signer, ...more] = signed.signerInfos;
		if (signer === undefined || more.length > 0) throw new BadMessage("malformed", "the signed message does not have one signer");
		if (!DIGESTS.has(signer.digestAlgorithm.algorithmId)) throw new BadMessage("too_weak", "its signature uses a weak hash algorithm");
		const certificates = (signed.certificates ?? []).filter((c) => c instanceof pkijs.Certificate).map(toNode);
		return { content: Buffer.from(content), certificates, signedBy: (candidates) => signerOf(signed, candidates) };
	} catch (error) {
		if (error instanceof BadMessage) throw error;
		throw new BadMessage("malformed", `it is not a signed message: ${error instanceof Error ? error.message : String(error)}`);
	}
}

async function signerOf(signed: pkijs.SignedData, candidates: readonly X509Certificate[]): Promise<X509Certificate> {
	for (const candidate of candidates) {
		signed.certificates = [pkijs.Certificate.fromBER(new Uint8Array(candidate.raw))];
		// It throws if the signer is none of the certificates, and returns false if the signature is wrong.
		const isSigner = await signed.verify({ signer: 0, checkChain: false }).catch(() => false);
		if (isSigner) return candidate;
	}
	throw new BadMessage("bad_signature", "none of the provider's certificates signed it");
}

function toNode(certificate: pkijs.Certificate): X509Certificate {
	return new X509Certificate(Buffer.from(certificate.toSchema(true).toBER()));
}
