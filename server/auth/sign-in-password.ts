import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { hashPassword, verifyPassword } from "../services/governance/sign-in/password.ts";
import { countAttempt, deleteOldWindows, type WindowLimit } from "../services/governance/sign-in/rate-window.ts";

const WINDOW_MS = 15 * MINUTE_MS;
/**
 * Attempts in 15 minutes. An account has a higher limit over all addresses than from one, so that a stranger does not
 * lock its owner out.
 */
export const SIGN_IN_LIMITS = { accountFromAddress: 10, account: 50, address: 100 };
/** Maximum concurrent password hashes; each takes a thread that file and DNS calls need too. */
const HASHES_MAX = 2;
const QUEUE_MAX = 50;

export type PasswordSignIn =
	| { ok: true; account: typeof account.$inferSelect }
	| { ok: false; why: "wrong" | "limited"; accountId: string | null };

/**
 * Checks email and password. Unknown accounts cost the same time as wrong passwords. Every attempt counts, in the database,
 * so that the limits hold across replicas.
 * @param at `demo`: whether demo accounts may sign in
 */
export async function signInWithPassword(
	db: Db,
	given: { email: string; password: string },
	at: { nowMs: number; source: string | null; demo: boolean },
): Promise<PasswordSignIn> {
	const [row] = await db.select().from(account).where(sql`lower(${account.email}) = ${given.email.toLowerCase()}`);
	const accountId = row?.id ?? null;
	if (!(await isWithinLimits(db, given.email, at))) return { ok: false, why: "limited", accountId };
	const usable = row?.passwordHash && !row.disabledAt && !row.service && (at.demo || !row.demo) ? row : null;
	const checked = await checkPassword(given.password, usable?.passwordHash ?? (await unknownHash()));
	if (checked === "busy") return { ok: false, why: "limited", accountId };
	return checked && usable ? { ok: true, account: usable } : { ok: false, why: "wrong", accountId };
}

async function isWithinLimits(db: Db, email: string, at: { nowMs: number; source: string | null }): Promise<boolean> {
	// Keys contain no typed text, because people type passwords into the address field.
	const name = createHash("sha256").update(email.toLowerCase()).digest("base64url");
	const address = at.source ?? "unknown";
	const limits: WindowLimit[] = [
		{ key: `sign-in:address:${address}`, limit: SIGN_IN_LIMITS.address, windowMs: WINDOW_MS },
		{ key: `sign-in:both:${name}:${address}`, limit: SIGN_IN_LIMITS.accountFromAddress, windowMs: WINDOW_MS },
		{ key: `sign-in:account:${name}`, limit: SIGN_IN_LIMITS.account, windowMs: WINDOW_MS },
	];
	for (const limit of limits) {
		// One address over its limit must not use up an account's.
		if (!(await countAttempt(db, limit, at.nowMs))) return false;
	}
	await deleteOldWindows(db, WINDOW_MS, at.nowMs);
	return true;
}

let waiting = 0;
let queue: Promise<unknown>[] = [];

async function checkPassword(password: string, hash: string): Promise<boolean | "busy"> {
	if (waiting >= QUEUE_MAX) return "busy";
	waiting++;
	try {
		while (queue.length >= HASHES_MAX) await Promise.race(queue);
		const check = verifyPassword(password, hash);
		queue.push(check);
		return await check.finally(() => {
			queue = queue.filter((one) => one !== check);
		});
	} finally {
		waiting--;
	}
}

let unknown: Promise<string> | undefined;

/** Used when the account does not exist: the same work, without a useful match. */
function unknownHash(): Promise<string> {
	unknown ??= hashPassword(crypto.randomUUID());
	return unknown;
}
