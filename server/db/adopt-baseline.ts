import type postgres from "postgres";
import { SpillwayError } from "#server/kernel/errors.ts";

/** The migrations that the baseline replaces. */
const EARLIER = { count: 38, lastCreatedAt: 1_795_473_764_011, lastCommit: "10fe87c623d7" };

export type Adoption = "new" | "current" | "adopted";

/**
 * Marks the baseline as applied in a database that ran all earlier migrations and therefore has the same schema.
 * Returns `new` for a database without migrations and `current` for one that has the baseline; both stay unchanged.
 * @param baselineHash SHA-256 of the baseline's SQL, hex, as drizzle records it
 * @throws SpillwayError `conflict` if some of the earlier migrations were never applied
 */
export async function adoptBaseline(sql: postgres.Sql, baselineHash: string): Promise<Adoption> {
	return sql.begin(async (tx) => {
		const [journal] = await tx`select to_regclass('drizzle.__drizzle_migrations') as name`;
		if (journal?.["name"] === null) return "new";
		await tx`lock table drizzle.__drizzle_migrations`;
		const rows = await tx<{ hash: string; created_at: string }[]>`select hash, created_at from drizzle.__drizzle_migrations`;
		if (rows.length === 0) return "new";
		if (rows.some(({ hash }) => hash === baselineHash)) return "current";
		const last = Math.max(...rows.map((row) => Number(row.created_at)));
		if (rows.length !== EARLIER.count || last !== EARLIER.lastCreatedAt) throw incomplete(rows.length);
		await tx`delete from drizzle.__drizzle_migrations`;
		await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${baselineHash}, ${EARLIER.lastCreatedAt})`;
		return "adopted";
	});
}

function incomplete(applied: number): SpillwayError {
	return new SpillwayError(
		"conflict",
		`The database has ${applied} of the ${EARLIER.count} migrations from before the first release. Nothing was changed.`,
		{ fix: `Check out commit ${EARLIER.lastCommit}, start it once to apply the missing migrations, then start this version again.` },
	);
}
