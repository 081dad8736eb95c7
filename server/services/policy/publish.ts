import { eq, sql } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { policy, policyVersion } from "#server/db/schema/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { writeAudit } from "../audit.ts";
import { actorName, type ServiceContext } from "../context.ts";

/**
 * Writes a new version of a policy and puts it in force.
 * @throws SpillwayError `invalid_input` with line and column when the text has an error; nothing is written then.
 */
export async function publishPolicy(
	ctx: ServiceContext,
	input: { name: string; source: string; message: string },
): Promise<{ version: number }> {
	if (ctx.actor.kind !== "system") throw new SpillwayError("forbidden", "Policies are published by the installation for now.");
	const { policy: parsed, problems } = parsePolicy(input.source);
	if (!parsed) {
		throw new SpillwayError("invalid_input", "The policy has errors and was not published.", {
			fields: problems.map((p) => ({ path: "", message: p.message, line: p.line, column: p.column })),
		});
	}
	return ctx.db.transaction(async (tx) => {
		await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`policy:${input.name}`}))`);
		const [last] = await tx
			.select({ version: sql<number>`coalesce(max(${policyVersion.version}), 0)::int` })
			.from(policyVersion)
			.where(eq(policyVersion.name, input.name));
		const version = (last?.version ?? 0) + 1;
		await tx.insert(policyVersion).values({
			name: input.name,
			version,
			source: input.source,
			author: actorName(ctx.actor),
			message: input.message,
			createdAt: new Date(ctx.clock.nowMs()),
		});
		await tx
			.insert(policy)
			.values({ name: input.name, activeVersion: version })
			.onConflictDoUpdate({ target: policy.name, set: { activeVersion: version } });
		await writeAudit(tx, ctx, { action: "policy.publish", subject: input.name, after: { version } });
		await notify(tx, { wake: true, changes: [{ topic: "policy", id: input.name, team: null }] });
		return { version };
	});
}
