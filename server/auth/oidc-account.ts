import { isDeepStrictEqual } from "node:util";
import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAccountAudit } from "#server/services/audit.ts";

const claimsSchema = z.looseObject({
	sub: z.string(),
	email: z.email(),
	name: z.string().optional(),
	groups: z.array(z.string()).default([]),
});

/**
 * Role and teams from the issuer's groups: `spillway-platform` and `spillway-finance` give these roles, everybody else
 * is a data scientist; each `spillway-team-<name>` is a membership.
 */
export function rightsOfGroups(groups: readonly string[]): { role: Role; teams: string[] } {
	const role: Role = groups.includes("spillway-platform") ? "platform" : groups.includes("spillway-finance") ? "finance" : "data_scientist";
	const teams = groups.filter((g) => g.startsWith("spillway-team-")).map((g) => g.slice("spillway-team-".length));
	return { role, teams: [...new Set(teams)].sort() };
}

/**
 * Makes or refreshes the account of a person whom the issuer vouches for. null when they may not come in: a demo account
 * has their address, and single sign-on cannot take it over; or the issuer named no address.
 */
export async function upsertFromIssuer(
	db: Db,
	rawClaims: unknown,
	nowMs: number,
	source: string | null = null,
): Promise<{ id: string } | null> {
	const parsed = claimsSchema.safeParse(rawClaims);
	if (!parsed.success) return null;
	const claims = parsed.data;
	const rights = rightsOfGroups(claims.groups);
	const name = claims.name ?? claims.email;
	return db.transaction(async (tx) => {
		const [known] = await tx
			.select({ id: account.id, demo: account.demo, role: account.role, teams: account.teams })
			.from(account)
			.where(sql`lower(${account.email}) = ${claims.email.toLowerCase()}`)
			.for("update");
		if (known?.demo) return null;
		if (known) {
			await tx
				.update(account)
				.set({ name, ...rights })
				.where(eq(account.id, known.id));
			const before = { role: known.role, teams: known.teams };
			if (!isDeepStrictEqual(before, rights)) {
				await writeAccountAudit(tx, { accountId: known.id, action: "account.rights", before, after: rights, nowMs, source });
			}
			return { id: known.id };
		}
		const id = newId("usr", nowMs);
		await tx.insert(account).values({ id, email: claims.email, name, ...rights, createdAt: new Date(nowMs) });
		await writeAccountAudit(tx, { accountId: id, action: "account.create", after: { email: claims.email, ...rights }, nowMs, source });
		return { id };
	});
}
