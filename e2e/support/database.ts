import { sql } from "drizzle-orm";
import { connect } from "#server/db/client.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { type ServiceContext, systemContext } from "#server/services/context.ts";
import { publishPolicy } from "#server/services/policy/publish.ts";
import { databaseUrl } from "./system.ts";

/** What has no way in from outside yet is done as the installation itself does it: by the services, on the database. */
export async function asInstallation<T>(work: (ctx: ServiceContext) => Promise<T>): Promise<T> {
	const connection = connect(databaseUrl(), { max: 2, applicationName: "spillway-e2e" });
	try {
		return await work(systemContext(connection.db, systemClock, "seed"));
	} finally {
		await connection.end();
	}
}

/** Slots and machines that have ended and are not charged to their end yet: the meter comes to them within seconds. */
export function countUnsettled(): Promise<number> {
	return asInstallation(async ({ db }) => {
		const [row] = await db.execute<{ count: number }>(sql`select (
			(select count(*) from allocation where ended_at is null or metered_until is distinct from ended_at)
			+ (select count(*) from instance where billed_from is not null and (terminated_at is null or metered_until is distinct from billed_until))
		)::int as count`);
		return row?.count ?? Number.NaN;
	});
}

/** A second platform engineer, whom the demo does not have, publishes: with the setting for it that waits for somebody else's yes. */
export async function publishAsAnother(source: string, message: string, baseVersion: number): Promise<void> {
	const actor = { kind: "person", accountId: "usr_e2e_second", name: "Sol Second", role: "platform", teams: [], via: "token" } as const;
	await asInstallation((ctx) => publishPolicy({ ...ctx, actor }, { name: "default", source, message, baseVersion }));
}

/** As `spillway policy apply --git` would: from then on the policy is changed from that file alone. */
export async function publishFromGit(source: string, message: string, baseVersion: number): Promise<void> {
	const origin = { kind: "git", repository: "git@example.test:infra/spillway.git", commit: "0123abcd", path: "policy.yaml" } as const;
	await asInstallation((ctx) => publishPolicy(ctx, { name: "default", source, message, baseVersion, origin }));
}

export async function publish(source: string, message: string): Promise<void> {
	await asInstallation((ctx) => publishPolicy(ctx, { name: "default", source, message }));
}
