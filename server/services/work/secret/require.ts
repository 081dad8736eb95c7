import { inArray } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { jobSecret } from "#server/db/schema/job-secret.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

/**
 * Rejects jobs that name a secret that their team does not have.
 * @throws SpillwayError `invalid_input`
 */
export async function requireSecrets(db: DbOrTx, specs: readonly Pick<JobSpec, "team" | "secrets">[]): Promise<void> {
	const named = specs.filter(({ secrets }) => secrets && secrets.length > 0);
	if (named.length === 0) return;
	const teams = [...new Set(named.map(({ team }) => team))];
	const rows = await db.select({ team: jobSecret.team, name: jobSecret.name }).from(jobSecret).where(inArray(jobSecret.team, teams));
	const known = new Set(rows.map(({ team, name }) => `${team}/${name}`));
	for (const { team, secrets } of named) {
		for (const [index, { name }] of (secrets ?? []).entries()) {
			if (known.has(`${team}/${name}`)) continue;
			const message = `team ${team} has no secret "${name}"`;
			throw new SpillwayError("invalid_input", `Team ${team} has no secret "${name}".`, {
				fields: [{ path: `spec.secrets[${index}].name`, message }],
				fix: `Set it with: spillway secrets set ${team}/${name}`,
			});
		}
	}
}
