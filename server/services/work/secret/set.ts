import { and, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { setSecretInput } from "#server/contract/inputs/secret.ts";
import { team } from "#server/db/schema/account.ts";
import { jobSecret } from "#server/db/schema/job-secret.ts";
import { SECRET_LIMITS, type SecretSource } from "#server/domain/job-secret.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { lockLimit } from "#server/services/core/lock-limit.ts";
import type { SecretStore } from "./store.ts";
import { secretOwner } from "./view.ts";

/**
 * Creates or replaces a secret of a team. Running attempts keep the value they received.
 * @throws SpillwayError `forbidden`; `not_found` for an unknown team, and for another team than the caller's; `conflict` when the team has
 * its maximum number of secrets; ZodError
 */
export async function setSecret(
	ctx: ServiceContext & { secretStore: Pick<SecretStore, "keys"> },
	target: { team: string; name: string },
	raw: Omit<z.input<typeof setSecretInput>, "team" | "name">,
): Promise<{ team: string; name: string; version: number }> {
	authorizeFound(ctx, "secret:manage", target, () => noTeam(target.team));
	const { name, value, file, vault } = setSecretInput.parse({ ...raw, ...target });
	const source: SecretSource = vault ? { kind: "vault", ...vault } : file ? { kind: "file", path: file } : { kind: "stored" };
	const sealed = value === undefined ? null : ctx.secretStore.keys.seal(secretOwner(target.team, name), value);
	return ctx.db.transaction(async (tx) => {
		const [owner] = await tx.select({ name: team.name }).from(team).where(eq(team.name, target.team)).for("share");
		if (!owner) throw noTeam(target.team);
		const isSecret = and(eq(jobSecret.team, target.team), eq(jobSecret.name, name));
		const [before] = await tx
			.select({ source: jobSecret.source, version: jobSecret.version })
			.from(jobSecret)
			.where(isSecret)
			.for("update");
		if (!before) await lockLimit(tx, `secrets ${target.team}`);
		if (!before && (await tx.$count(jobSecret, eq(jobSecret.team, target.team))) >= SECRET_LIMITS.perTeam)
			throw new SpillwayError("conflict", `The team has ${SECRET_LIMITS.perTeam} secrets.`, { fix: "Delete one first." });
		const at = new Date(ctx.clock.nowMs());
		const changed = { source, sealed, changedAt: at, changedBy: actorName(ctx.actor) };
		const [row] = await tx
			.insert(jobSecret)
			.values({ team: target.team, name, ...changed, createdAt: at })
			.onConflictDoUpdate({ target: [jobSecret.team, jobSecret.name], set: { ...changed, version: sql`${jobSecret.version} + 1` } })
			.returning({ version: jobSecret.version });
		const version = row?.version ?? 1;
		await writeAudit(tx, ctx, {
			action: before ? "secret.replace" : "secret.create",
			subject: secretOwner(target.team, name),
			before: before ?? null,
			after: { source, version },
		});
		return { team: target.team, name, version };
	});
}

/**
 * Deletes a secret. Jobs that name it fail when they start.
 * @throws SpillwayError `forbidden`, `not_found`
 */
export async function deleteSecret(ctx: ServiceContext, target: { team: string; name: string }): Promise<{ team: string; name: string }> {
	authorizeFound(ctx, "secret:manage", target, () => noTeam(target.team));
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.delete(jobSecret)
			.where(and(eq(jobSecret.team, target.team), eq(jobSecret.name, target.name)))
			.returning({ source: jobSecret.source, version: jobSecret.version });
		if (!row) throw new SpillwayError("not_found", `Team ${target.team} has no secret ${target.name}.`);
		await writeAudit(tx, ctx, { action: "secret.delete", subject: secretOwner(target.team, target.name), before: row });
		return target;
	});
}

function noTeam(team: string): SpillwayError {
	return new SpillwayError("not_found", `There is no team ${team} with secrets that you may change.`);
}
