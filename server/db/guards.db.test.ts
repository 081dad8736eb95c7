import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MACHINES } from "../domain/states.ts";
import { createTestDatabase, type TestDatabase } from "./testing/database.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(async () => {
	await database.drop();
});

describe("the database holds what the code promises", () => {
	it("has exactly the transitions of server/domain/states.ts", async () => {
		const rows = await database.sql<{ machine: string; fromState: string; toState: string }[]>`
			select machine, from_state as "fromState", to_state as "toState" from state_transition`;
		const inDatabase = rows.map((r) => `${r.machine}: ${r.fromState} -> ${r.toState}`).sort();
		const inCode = Object.entries(MACHINES)
			.flatMap(([machine, table]) =>
				Object.entries(table).flatMap(([from, tos]) => tos.map((to: string) => `${machine}: ${from} -> ${to}`)),
			)
			.sort();
		expect(inDatabase).toEqual(inCode);
		expect(inCode.length).toBeGreaterThan(30);
	});

	it("refuses an illegal move and keeps a legal one", async () => {
		await insertJob("job_a", "queued");
		await expect(move("job_a", "running")).rejects.toThrow();
		await move("job_a", "admitted");
		await move("job_a", "running");
		await expect(move("job_a", "held")).rejects.toThrow();
		const [row] = await database.sql`select state from job where id = 'job_a'`;
		expect(row?.state).toBe("running");
	});

	it("demands a time on a final job", async () => {
		await insertJob("job_b", "queued");
		await expect(database.sql`update job set state = 'cancelled' where id = 'job_b'`).rejects.toThrow(/job_finished_iff_final/);
	});

	it.each(["charge", "decision", "audit", "policy_version"])("keeps %s insert-only", async (table) => {
		await expect(database.sql.unsafe(`delete from ${table}`)).rejects.toThrow(/insert-only/);
	});

	it.each(["audit", "audit_seal", "decision", "policy_version", "policy_publication"])(
		"does not let %s be emptied at one stroke",
		async (table) => {
			await expect(database.sql.unsafe(`truncate ${table} cascade`)).rejects.toThrow(/insert-only/);
		},
	);

	it("writes a token's issue, change, revocation and end into the audit, and never its hash", async () => {
		await database.sql`insert into account (id, email, name, role, created_at) values ('usr_ci', 'ci@acme.test', 'CI', 'platform', now())`;
		await database.sql`insert into api_token (id, account_id, name, hash, created_at) values ('tok_ci', 'usr_ci', 'CI', 'the-hash', now())`;
		await database.sql`update api_token set last_used_at = now() where id = 'tok_ci'`;
		await database.sql`update api_token set hash = 'another-hash' where id = 'tok_ci'`;
		await database.sql`update api_token set revoked_at = '2026-11-10T10:00:00Z' where id = 'tok_ci'`;
		await database.sql`delete from api_token where id = 'tok_ci'`;
		const lines = await database.sql`select actor, action, before, after from audit where subject = 'token:tok_ci' order by id`;
		const open = { account: "usr_ci", name: "CI", revokedAt: null };
		const revoked = { ...open, revokedAt: "2026-11-10T10:00:00+00:00" };
		expect([...lines]).toEqual([
			{ actor: "system:database", action: "token.issue", before: null, after: open },
			{ actor: "system:database", action: "token.change", before: open, after: open },
			{ actor: "system:database", action: "token.revoke", before: open, after: revoked },
			{ actor: "system:database", action: "token.delete", before: revoked, after: null },
		]);
		expect(JSON.stringify(lines)).not.toContain("hash");
	});
});

async function insertJob(id: string, state: string): Promise<void> {
	await database.sql`
		insert into job (id, name, team, class, priority, gpus, spec, state, reason, submitted_by, submitted_at, pending_since)
		values (${id}, 'n', 't', 'burst', 50, 1, '{}', ${state}, '{}', 'account:x', now(), now())`;
}

async function move(id: string, state: string): Promise<void> {
	await database.db.execute(sql`update job set state = ${state}::job_state where id = ${id}`);
}
