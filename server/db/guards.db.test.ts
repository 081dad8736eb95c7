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

describe("the database enforces the code's guarantees", () => {
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

	it("rejects an illegal transition and keeps a legal one", async () => {
		await insertJob("job_a", "queued");
		await expect(move("job_a", "running")).rejects.toThrow();
		await move("job_a", "admitted");
		await move("job_a", "running");
		await expect(move("job_a", "held")).rejects.toThrow();
		const [row] = await database.sql`select state from job where id = 'job_a'`;
		expect(row?.state).toBe("running");
	});

	it("requires a time on a final job", async () => {
		await insertJob("job_b", "queued");
		await expect(database.sql`update job set state = 'cancelled' where id = 'job_b'`).rejects.toThrow(/job_finished_iff_final/);
	});

	it("starts an attempt of an adopted job only while its cluster holds it, and returns it only when none is alive", async () => {
		await insertJob("job_theirs", "queued");
		await database.sql`insert into site (id, name, provider, settings) values ('home', 'Home', 'slurm', '{}')`;
		await database.sql`
			insert into adoption (id, site_id, foreign_id, job_id, facts, rule_id, policy_version, script, offered_at)
			values ('adp_1', 'home', '7', 'job_theirs', '{}', 'r', 1, '', now())`;
		const attempt = () => database.sql`
			insert into attempt (id, job_id, number, site_id, capacity_type, gpus, placement, created_at)
			values ('att_theirs_001', 'job_theirs', 1, 'aws', 'spot', 1, '{}', now())`;
		const step = (state: string, ended = false) =>
			database.sql`update adoption set state = ${state}, ended_at = ${ended ? new Date() : null} where id = 'adp_1'`;
		await expect(attempt()).rejects.toThrow(/adp_1 is offered/);
		await step("holding");
		await expect(attempt()).rejects.toThrow(/adp_1 is holding/);
		await step("held");
		await attempt();
		await step("returning");
		await expect(step("released", true)).rejects.toThrow(/while an attempt lives/);
		await database.sql`update attempt set state = 'cancelled', finished_at = now(), reason = '{}' where id = 'att_theirs_001'`;
		await step("released", true);
		await expect(step("held")).rejects.toThrow();
	});

	it.each(["charge", "decision", "audit", "policy_version"])("keeps %s insert-only", async (table) => {
		await expect(database.sql.unsafe(`delete from ${table}`)).rejects.toThrow(/insert-only/);
	});

	it.each([
		...["audit", "audit_seal", "decision", "policy_version", "policy_publication", "charge", "rate_card"],
		...["statement", "statement_signature", "statement_note", "bill_line", "bill_line_restated"],
	])("does not allow truncating %s", async (table) => {
		await expect(database.sql.unsafe(`truncate ${table} cascade`)).rejects.toThrow(/insert-only/);
	});

	it("audits a token's issue, change, revocation and expiry, but never its hash", async () => {
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
