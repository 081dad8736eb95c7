// Marks the baseline migration as applied in a database from before the first release. `migrate.ts` does this too; use this
// program to apply migrations with another tool, or to check a database first.
import { adoptDatabase } from "#server/db/migrate.ts";
import { directDatabaseUrl } from "#server/env.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

const RESULTS = {
	new: "The database has no migrations yet. Nothing to adopt.",
	current: "The database already has the baseline migration. Nothing to adopt.",
	adopted: "Adopted. The database continues from the baseline migration.",
};

try {
	process.stdout.write(`${RESULTS[await adoptDatabase(directDatabaseUrl())]}\n`);
} catch (error) {
	if (!(error instanceof SpillwayError)) throw error;
	process.stderr.write(`${error.message}\n${error.fix ?? ""}\n`);
	process.exitCode = 1;
}
