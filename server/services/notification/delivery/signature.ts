import { createHmac, timingSafeEqual } from "node:crypto";

export const SIGNATURE_HEADER = "X-Spillway-Signature";
export const DELIVERY_HEADER = "X-Spillway-Delivery";
/** Receivers should reject older signatures: the message may be replayed. */
export const REPLAY_WINDOW_S = 300;

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 (RFC 2104) of "<t>.<body>">`. */
export function signBody(key: string, body: string, atMs: number): string {
	const t = Math.floor(atMs / 1_000);
	return `t=${t},v1=${macOf(key, t, body)}`;
}

/** A receiver's check: the signature matches this body and key, and is within the window. */
export function verifySignature(key: string, body: string, header: string, nowMs: number): boolean {
	const [, t = "", given = ""] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
	if (given === "" || Math.abs(nowMs / 1_000 - Number(t)) > REPLAY_WINDOW_S) return false;
	return timingSafeEqual(Buffer.from(macOf(key, Number(t), body), "hex"), Buffer.from(given, "hex"));
}

function macOf(key: string, t: number, body: string): string {
	return createHmac("sha256", key).update(`${t}.${body}`).digest("hex");
}
