import { hkdfSync } from "node:crypto";
import { SpillwayError } from "#server/kernel/errors.ts";
import { openText, sealText } from "#server/services/core/sealed-box.ts";

const VERSION = "v1";

/** A text sealed under a key derived from the installation's secret by HKDF-SHA256 (RFC 5869), bound to the row `owner`. */
export function sealSecret(secret: string, owner: string, text: string): string {
	return `${VERSION}.${sealText(keyOf(secret), owner, text)}`;
}

/** @throws SpillwayError `precondition_failed` when it was sealed under another secret or for another row. */
export function openSecret(secret: string, owner: string, box: string): string {
	try {
		const [version, ...rest] = box.split(".");
		if (version !== VERSION) throw new Error(`unknown version ${version}`);
		return openText(keyOf(secret), owner, rest.join("."));
	} catch (cause) {
		throw new SpillwayError(
			"precondition_failed",
			"The stored secret cannot be opened: SPILLWAY_SECRET is not the one it was stored under.",
			{
				fix: "Restore SPILLWAY_SECRET, or enter the address and key of this channel again.",
				cause,
			},
		);
	}
}

function keyOf(secret: string): Buffer {
	return Buffer.from(hkdfSync("sha256", secret, "", "spillway/channel-secret/v1", 32));
}
