import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { line } from "#server/domain/schema/values.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { writeAccountAudit } from "#server/services/core/audit.ts";
import { countAdministrators, lockAdministrators } from "#server/services/governance/account/administrators.ts";
import { setupRound, startSetup } from "#server/services/governance/setup/state.ts";
import { lockAddress } from "../account/lock-address.ts";
import { hashPassword } from "./password.ts";
import { countAttempt } from "./rate-window.ts";
import { isSetUpCode } from "./set-up-code.ts";

const PASSWORD_MIN = 12;
const WINDOW_MS = 15 * MINUTE_MS;
const ATTEMPTS = { address: 10, all: 100 };

export const firstAdministratorInput = z.strictObject({
	code: z.string().trim().min(1, "Enter the set-up code from the server's log.").max(64),
	email: z.email("Enter an email address, such as ada@example.com.").max(256),
	name: z.string().trim().min(1, "Enter a name.").pipe(line(128)),
	password: z.string().min(PASSWORD_MIN, `Use at least ${PASSWORD_MIN} characters.`).max(256),
});

interface At {
	nowMs: number;
	source: string | null;
	/** Key for deriving the set-up code. */
	secret: string;
	demo: boolean;
}

/**
 * Creates the first administrator, with a password. Works only while no administrator can sign in, and with the code from the log.
 * @throws SpillwayError `forbidden` for a wrong code; `conflict` when an administrator exists or the address is taken;
 *   `too_many_requests`; ZodError
 */
export async function createFirstAdministrator(
	db: Db,
	raw: z.input<typeof firstAdministratorInput>,
	at: At,
): Promise<{ accountId: string; email: string }> {
	const { code, email, name, password } = firstAdministratorInput.parse(raw);
	await requireFewAttempts(db, at);
	const passwordHash = await hashPassword(password);
	return db.transaction(async (tx) => {
		await lockAdministrators(tx);
		if ((await countAdministrators(tx, { demo: at.demo })) > 0)
			throw new SpillwayError("conflict", "This installation has an administrator.", {
				fix: "Sign in, or ask the administrator for access.",
			});
		const round = await setupRound(tx);
		if (!isSetUpCode(code, at.secret, round)) throw wrongCode();
		await lockAddress(tx, email);
		const [taken] = await tx.select({ id: account.id }).from(account).where(sql`lower(${account.email}) = ${email.toLowerCase()}`);
		const accountId = taken?.id ?? newId("usr", at.nowMs);
		// An administrator who was invited but cannot sign in gets a password.
		const rights = { name, role: "platform" as const, customRole: null, passwordHash, service: false, demo: false, disabledAt: null };
		if (taken) {
			await tx
				.update(account)
				.set({ ...rights, sessionEpoch: sql`${account.sessionEpoch} + 1` })
				.where(eq(account.id, accountId));
		} else await tx.insert(account).values({ ...rights, id: accountId, email, createdAt: new Date(at.nowMs) });
		await startSetup(tx, round);
		const after = { email, name, role: "platform", by: "set-up code" };
		await writeAccountAudit(tx, { accountId, action: "account.first_administrator", after, nowMs: at.nowMs, source: at.source });
		return { accountId, email };
	});
}

function wrongCode(): SpillwayError {
	const message = "The set-up code is wrong. The server prints the current one at start.";
	return new SpillwayError("forbidden", message, { fields: [{ path: "code", message }] });
}

async function requireFewAttempts(db: Db, { nowMs, source }: At): Promise<void> {
	const isFew =
		(await countAttempt(db, { key: `set-up:address:${source ?? "unknown"}`, limit: ATTEMPTS.address, windowMs: WINDOW_MS }, nowMs)) &&
		(await countAttempt(db, { key: "set-up:all", limit: ATTEMPTS.all, windowMs: WINDOW_MS }, nowMs));
	if (!isFew) throw new SpillwayError("too_many_requests", "Too many attempts.", { fix: "Wait 15 minutes and try again." });
}
