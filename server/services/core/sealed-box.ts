import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A text encrypted by AES-256-GCM (NIST SP 800-38D) under a key of 32 bytes, as `<iv>.<text and tag>` in base64url. `owner` is bound into
 * it, so it cannot be opened if moved to another row.
 */
export function sealText(key: Buffer, owner: string, text: string): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(owner));
	const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
	return `${iv.toString("base64url")}.${sealed.toString("base64url")}`;
}

/** @throws Error when it was sealed under another key or for another owner, or was changed. */
export function openText(key: Buffer, owner: string, box: string): string {
	const [iv = "", sealed = ""] = box.split(".");
	const bytes = Buffer.from(sealed, "base64url");
	const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"))
		.setAAD(Buffer.from(owner))
		.setAuthTag(bytes.subarray(-TAG_BYTES));
	return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
}
