import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { publicUrl } from "#server/env.ts";
import { writeLine } from "#server/kernel/program-log.ts";
import { currentSetUpCode } from "#server/services/governance/sign-in/set-up-code.ts";
import type { Runtime } from "#server/services/runtime.ts";

/** File in SPILLWAY_HOME, with mode 0600, that exists while no administrator can sign in. `npm start` prints it. */
const SETUP_FILE = "setup-code";

/** Writes the set-up code to the log, and to a file for `npm start`. */
export async function showSetUpCode({ env, connection }: Pick<Runtime, "env" | "connection">): Promise<void> {
	const code = await currentSetUpCode(connection.db, env);
	const file = path.join(env.SPILLWAY_HOME, SETUP_FILE);
	if (code === null) return rmSync(file, { force: true });
	writeFileSync(file, `${code}\n`, { mode: 0o600 });
	writeLine(1, `No administrator can sign in yet. Open ${publicUrl(env)}/setup and enter the set-up code ${code}`);
}
