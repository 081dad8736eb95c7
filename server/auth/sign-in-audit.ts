import type { DbOrTx } from "#server/db/client.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { writeAccountAudit, writeRefusedSignIn } from "#server/services/core/audit.ts";

/** The address that a request came from, and when. */
interface RequestFacts {
	nowMs: number;
	source: string | null;
}

export async function auditSignIn(db: DbOrTx, accountId: string, by: RequestFacts & { with: string }): Promise<void> {
	const { nowMs, source } = by;
	await writeAccountAudit(db, { accountId, action: "account.sign_in", after: { with: by.with }, nowMs, source });
}

/** `accountId` "": the session no longer belonged to anyone. */
export async function auditSignOut(db: DbOrTx, accountId: string, by: RequestFacts): Promise<void> {
	if (accountId !== "") await writeAccountAudit(db, { accountId, action: "account.sign_out", ...by });
}

/**
 * Maximum audit entries for rejected sign-ins per minute: trying a million passwords must not fill the audit log,
 * which is never emptied.
 */
export const REFUSED_LINES_A_MINUTE = 20;
const EMAIL_MAX = 256;

/** Audits rejected sign-ins; those beyond the limit are counted in `more` of the next entry. */
export class RefusedSignIns {
	#minute = 0;
	#lines = 0;
	#more = 0;

	async audit(
		db: DbOrTx,
		tried: { accountId: string | null; email: string | null; with: string; why?: string },
		by: RequestFacts,
	): Promise<void> {
		const minute = Math.floor(by.nowMs / MINUTE_MS);
		if (minute !== this.#minute) [this.#minute, this.#lines] = [minute, 0];
		if (this.#lines >= REFUSED_LINES_A_MINUTE) {
			this.#more++;
			return;
		}
		this.#lines++;
		const more = this.#more;
		this.#more = 0;
		const after = { with: tried.with, email: addressIn(tried.email), more, ...(tried.why && { why: tried.why }) };
		await writeRefusedSignIn(db, { accountId: tried.accountId, after, ...by });
	}
}

/** People type their password into the wrong field, so only text in the form of an address is kept. */
function addressIn(email: string | null): string | null {
	return email !== null && email.length <= EMAIL_MAX && /^[^\s@\0]+@[^\s@\0]+$/.test(email) ? email : null;
}
