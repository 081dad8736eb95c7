import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";

const RSA_BITS = 3_072;
let made: Promise<string> | undefined;

/**
 * An SSH public key with a discarded private half: Azure creates no Linux machine without a key or a password, and no one should
 * log in. One key for the life of the process.
 */
export function throwawayPublicKey(): Promise<string> {
	made ??= makeKey();
	return made;
}

async function makeKey(): Promise<string> {
	const { publicKey } = await promisify(generateKeyPair)("rsa", { modulusLength: RSA_BITS });
	const { e = "", n = "" } = publicKey.export({ format: "jwk" });
	const blob = Buffer.concat([field(Buffer.from("ssh-rsa")), field(positive(e)), field(positive(n))]);
	return `ssh-rsa ${blob.toString("base64")} test`;
}

/** SSH's wire format of a string or number: its length in four bytes, then its bytes (RFC 4251, section 5). */
function field(bytes: Buffer): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32BE(bytes.length);
	return Buffer.concat([length, bytes]);
}

/** A number with its first bit set gets a leading zero byte, so that it is not read as negative. */
function positive(base64url: string): Buffer {
	const bytes = Buffer.from(base64url, "base64url");
	return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
}
