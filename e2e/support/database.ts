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

export async function publish(source: string, message: string): Promise<void> {
	await asInstallation((ctx) => publishPolicy(ctx, { name: "default", source, message }));
}
