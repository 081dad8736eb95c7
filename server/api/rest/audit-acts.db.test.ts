import { asc } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { audit } from "#server/db/schema/audit.ts";
import { reason } from "#server/domain/reasons.ts";
import { signInIdentity } from "#server/services/governance/sign-in/sign-in-identity.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

async function linesOf(
	subject: string,
): Promise<Pick<typeof audit.$inferSelect, "actor" | "action" | "before" | "after" | "via" | "source">[]> {
	const rows = await world.database.db.select().from(audit).orderBy(asc(audit.id));
	return rows
		.filter((r) => r.subject === subject)
		.map(({ actor, action, before, after, via, source }) => ({ actor, action, before, after, via, source }));
}

describe("actions of the scheduler", () => {
	it("are audited with their reason: placing and stopping; a person's cancel stays the person's", async () => {
		const [evicted, cancelled] = [await world.submit(), await world.submit()];
		const first = await world.start(evicted, 1);
		await world.end(first, { stop: reason("evicted_for_deadline") });
		const second = await world.start(cancelled, 1);
		const noOne = { actor: "system:control_loop", via: null, source: null };
		expect((await linesOf(evicted)).slice(1)).toEqual([
			{
				...noOne,
				action: "job.place",
				before: null,
				after: { attemptId: first, siteId: "home", poolId: "pool", gpus: 1, reason: "placed_home" },
			},
		]);
		expect(await linesOf(first)).toEqual([
			{ ...noOne, action: "attempt.stop", before: null, after: { code: "evicted_for_deadline", facts: {} } },
		]);
		await world.post(`/jobs/${cancelled}/cancel`, undefined);
		expect((await linesOf(cancelled)).at(-1)).toMatchObject({ actor: "account:usr_platform", action: "job.cancel", via: "token" });
		expect(await linesOf(second)).toEqual([]);
	});
});

describe("people from the issuer", () => {
	it("are audited when they first sign in and when their groups change their rights, and not otherwise", async () => {
		const { db } = world.database;
		const rights = { role: "data_scientist" as const, customRole: null, teams: ["vision"] };
		const pia = { issuer: "https://id.test", subject: "1", email: "pia@example.test", emailVerified: true, name: "Pia", rights };
		const made = await signInIdentity(db, pia, { nowMs: world.nowMs(), source: "203.0.113.7" });
		await signInIdentity(db, pia, { nowMs: world.nowMs(), source: "203.0.113.7" });
		await signInIdentity(
			db,
			{ ...pia, rights: { role: "platform", customRole: null, teams: [] } },
			{ nowMs: world.nowMs(), source: "203.0.113.8" },
		);
		const actor = `account:${made.accountId}`;
		expect(await linesOf(actor)).toEqual([
			{
				...{ actor, action: "account.create", before: null, via: "session", source: "203.0.113.7" },
				after: { email: "pia@example.test", role: "data_scientist", customRole: null, teams: ["vision"] },
			},
			{
				...{ actor, action: "account.rights", via: "session", source: "203.0.113.8" },
				...{
					before: { role: "data_scientist", customRole: null, teams: ["vision"] },
					after: { role: "platform", customRole: null, teams: [] },
				},
			},
		]);
	});
});
