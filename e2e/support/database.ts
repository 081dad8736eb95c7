import { sql } from "drizzle-orm";
import { connect } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { type ServiceContext, systemContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { approveProposal } from "#server/services/governance/proposal/decide.ts";
import { listProposals } from "#server/services/governance/proposal/list.ts";
import { databaseUrl } from "./system.ts";

/** Actions without an external interface yet are done by calling the services on the database. */
export async function asInstallation<T>(work: (ctx: ServiceContext) => Promise<T>): Promise<T> {
	const connection = connect(databaseUrl(), { max: 2, applicationName: "spillway-e2e" });
	try {
		return await work(systemContext(connection.db, systemClock, "seed"));
	} finally {
		await connection.end();
	}
}

/** Ended slots and machines that are not fully charged yet: the meter charges them within seconds. */
export function countUnsettled(): Promise<number> {
	return asInstallation(async ({ db }) => {
		const [row] = await db.execute<{ count: number }>(sql`select (
			(select count(*) from allocation where ended_at is null or metered_until is distinct from ended_at)
			+ (select count(*) from instance where billed_from is not null and (terminated_at is null or metered_until is distinct from billed_until))
		)::int as count`);
		return row?.count ?? Number.NaN;
	});
}

const SECOND = { id: "usr_e2e_second", name: "Sol Second", role: "platform" as const };

/** Acts as a second platform engineer, which the demo does not have. */
async function asAnother(work: (ctx: ServiceContext) => Promise<unknown>): Promise<void> {
	const actor = { kind: "person", accountId: SECOND.id, name: SECOND.name, role: SECOND.role, teams: [], via: "token" } as const;
	await asInstallation(async (ctx) => {
		const row = { ...SECOND, email: "sol@second.test", createdAt: new Date() };
		await ctx.db.insert(account).values(row).onConflictDoNothing();
		await work({ ...ctx, actor });
	});
}

/** With the setting enabled, it waits for a second person. */
export function publishAsAnother(source: string, message: string, baseVersion: number): Promise<void> {
	return asAnother((ctx) => publishPolicy(ctx, { name: "default", source, message, baseVersion }));
}

/** Approves everything that waits for a second person. */
export function approveAsOtherPerson(): Promise<void> {
	return asAnother(async (ctx) => {
		for (const { id, decision } of await listProposals(ctx)) if (decision === null) await approveProposal(ctx, id);
	});
}

/** Like `spillway policy apply --git`: from then on the policy only changes from that file. */
export async function publishFromGit(source: string, message: string, baseVersion: number): Promise<void> {
	const origin = { kind: "git", repository: "git@example.test:infra/spillway.git", commit: "0123abcd", path: "policy.yaml" } as const;
	await asInstallation((ctx) => publishPolicy(ctx, { name: "default", source, message, baseVersion, origin }));
}

export async function publish(source: string, message: string): Promise<void> {
	await asInstallation((ctx) => publishPolicy(ctx, { name: "default", source, message }));
}
