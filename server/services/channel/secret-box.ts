import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { SpillwayError } from "#server/kernel/errors.ts";

const VERSION = "v1";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A text encrypted by AES-256-GCM (NIST SP 800-38D) under a key derived from the installation's secret by HKDF-SHA256
 * (RFC 5869). `owner` is bound into it: moved to another row it does not open.
 */
export function sealSecret(secret: string, owner: string, text: string): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv("aes-256-gcm", keyOf(secret), iv).setAAD(Buffer.from(owner));
	const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
	return [VERSION, iv.toString("base64url"), sealed.toString("base64url")].join(".");
}

/** @throws SpillwayError `precondition_failed` when it was sealed under another secret or for another row. */
export function openSecret(secret: string, owner: string, box: string): string {
	try {
		const [version, iv = "", sealed = ""] = box.split(".");
		if (version !== VERSION) throw new Error(`unknown version ${version}`);
		const bytes = Buffer.from(sealed, "base64url");
		const decipher = createDecipheriv("aes-256-gcm", keyOf(secret), Buffer.from(iv, "base64url"))
			.setAAD(Buffer.from(owner))
			.setAuthTag(bytes.subarray(-TAG_BYTES));
		return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
	} catch (cause) {
		throw new SpillwayError(
			"precondition_failed",
			"The stored secret cannot be opened: SPILLWAY_SECRET is not the one it was stored under.",
			{
				fix: "Set SPILLWAY_SECRET back, or enter the address and the key of this channel again.",
				cause,
			},
		);
	}
}

function keyOf(secret: string): Buffer {
	return Buffer.from(hkdfSync("sha256", secret, "", "spillway/channel-secret/v1", 32));
}
