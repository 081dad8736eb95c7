import { createHmac, timingSafeEqual } from "node:crypto";
import type { DbOrTx } from "#server/db/client.ts";
import { countAdministrators } from "#server/services/governance/account/administrators.ts";
import { setupRound } from "#server/services/governance/setup/state.ts";

/** Without letters that resemble digits. */
const ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const GROUPS = 4;
const GROUP_LETTERS = 4;

/**
 * The code that the server's log shows while no administrator can sign in: anyone who reads the log may create one. Derived from the
 * installation's secret, so all replicas show the same, and it changes after each use. About 78 bits.
 */
export function setUpCode(secret: string, round: number): string {
	const bytes = createHmac("sha256", secret).update(`set-up code ${round}`).digest();
	const letters = [...bytes.subarray(0, GROUPS * GROUP_LETTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
	return (letters.match(/.{4}/g) ?? []).join("-");
}

/** Compares in constant time; spaces, hyphens and letter case do not matter. */
export function isSetUpCode(given: string, secret: string, round: number): boolean {
	const plain = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, "");
	const digest = (text: string) => createHmac("sha256", secret).update(plain(text)).digest();
	return timingSafeEqual(digest(given), digest(setUpCode(secret, round)));
}

/** The current code; null when an administrator can sign in. */
export async function currentSetUpCode(db: DbOrTx, env: { SPILLWAY_SECRET: string; SPILLWAY_DEMO: boolean }): Promise<string | null> {
	if ((await countAdministrators(db, { demo: env.SPILLWAY_DEMO })) > 0) return null;
	return setUpCode(env.SPILLWAY_SECRET, await setupRound(db));
}
