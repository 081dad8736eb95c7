import { writeFileSync } from "node:fs";
import path from "node:path";
import { connect } from "#server/db/client.ts";
import { DEMO_ACCOUNTS_FILE, seedAccounts } from "#server/demo/accounts.ts";
import { seedCompany } from "#server/demo/company/seed-company.ts";
import { importDemoHistory } from "#server/demo/history/import-demo-history.ts";
import { seedPolicy } from "#server/demo/policy.ts";
import { seedSites } from "#server/demo/sites.ts";
import { env } from "#server/env.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/core/context.ts";

/** Creates the demo once. Each part is skipped if it already exists. */
const HISTORY_DAYS = 60;
const HISTORY_SEED = 20_261_121;

const settings = env();
if (!settings.SPILLWAY_DEMO) {
	process.stderr.write("The demo is made only in demo mode: set SPILLWAY_DEMO=1.\n");
	process.exit(1);
}
const connection = connect(settings.DATABASE_URL, { directUrl: settings.DATABASE_DIRECT_URL, max: 4, applicationName: "spillway-seed" });
const ctx = systemContext(connection.db, systemClock, "seed");
const secretFile = { mode: 0o600 };

process.stdout.write("accounts, site and policy\n");
const { accounts, token } = await seedAccounts(ctx, settings.SPILLWAY_HOME, settings.SPILLWAY_DEMO_PASSWORD);
await seedSites(ctx, settings);
writeFileSync(path.join(settings.SPILLWAY_HOME, DEMO_ACCOUNTS_FILE), `${JSON.stringify(accounts, null, "\t")}\n`, secretFile);
writeFileSync(path.join(settings.SPILLWAY_HOME, "token"), `${token}\n`, secretFile);
process.stdout.write("history, simulated\n");
if (settings.SPILLWAY_DEMO_SIZE === "company") await seedCompany(ctx, settings, HISTORY_SEED);
else {
	await seedPolicy(ctx);
	await importDemoHistory(ctx, { days: HISTORY_DAYS, seed: HISTORY_SEED });
}
await connection.end();
