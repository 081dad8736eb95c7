import { createHash, randomBytes } from "node:crypto";
import { lt } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { deviceLogin } from "#server/db/schema/device-login.ts";
import { line } from "#server/domain/schema/values.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";

const LIFE_MS = 10 * MINUTE_MS;
/** Consonants only, so that a code never spells a word. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LETTERS = 8;

export const startDeviceLoginInput = z.strictObject({
	/** The command's name for its machine, shown to the person who approves. */
	clientName: line(100),
});

export interface StartedDeviceLogin {
	/** The command's secret for requesting its token. */
	deviceCode: string;
	/** `WXYZ-BCDF`, which the person compares. */
	userCode: string;
	expiresAtMs: number;
}

/** Starts a command-line sign-in. It expires after 10 minutes without an answer. @throws ZodError */
export async function startDeviceLogin(
	db: DbOrTx,
	raw: z.input<typeof startDeviceLoginInput>,
	at: { nowMs: number; source: string | null },
): Promise<StartedDeviceLogin> {
	const { clientName } = startDeviceLoginInput.parse(raw);
	const deviceCode = randomBytes(32).toString("base64url");
	const letters = [...randomBytes(CODE_LETTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
	const userCode = `${letters.slice(0, CODE_LETTERS / 2)}-${letters.slice(CODE_LETTERS / 2)}`;
	const expiresAtMs = at.nowMs + LIFE_MS;
	await db.delete(deviceLogin).where(lt(deviceLogin.expiresAt, new Date(at.nowMs - DAY_MS)));
	await db.insert(deviceLogin).values({
		...{ id: newId("dvl", at.nowMs), deviceHash: hashCode(deviceCode), userHash: hashUserCode(userCode), clientName, source: at.source },
		...{ createdAt: new Date(at.nowMs), expiresAt: new Date(expiresAtMs) },
	});
	return { deviceCode, userCode, expiresAtMs };
}

export function hashCode(code: string): string {
	return createHash("sha256").update(code).digest("hex");
}

/** Spaces, hyphens and letter case do not matter. */
export function hashUserCode(code: string): string {
	return hashCode(code.toUpperCase().replace(/[^A-Z]/g, ""));
}
