import { runAgent } from "./agent.ts";
import { messageOf } from "./client.ts";
import { GUARD_ARGUMENT } from "./guard/guard.ts";
import { runGuard } from "./guard/run-guard.ts";
import { findPowerOff, powerOff } from "./power-off.ts";
import { releaseMachine } from "./release-machine.ts";
import { type AgentSettings, takeSettings } from "./settings.ts";

/** Runs on the instance. However the agent ends, it powers the instance off, because nothing else may be left to do so. */
const log = (text: string): void => {
	process.stdout.write(`${new Date().toISOString()} agent: ${text}\n`);
};

if (process.argv[2] === GUARD_ARGUMENT) {
	await runGuard(process.argv[3] ?? "");
	process.exit();
}

const commands = findPowerOff(process.env["PATH"] ?? "");
let settings: AgentSettings | null = null;

/** User-data sets the instance name. An agent started by hand on someone's own computer must not power it off. */
const onInstance = process.env["SPILLWAY_INSTANCE_ID"] !== undefined;

/** Powering off ends the machine's cost. */
async function end(): Promise<void> {
	if (!onInstance) return log("not started on a Spillway instance: nothing was done, and the machine stays on");
	if (settings !== null) await releaseMachine(settings, log);
	await powerOff(commands, log);
}

process.on("uncaughtException", (error) => {
	log(`agent failed: ${error.stack ?? error.message}`);
	void end().then(() => process.exit(1));
});

try {
	settings = takeSettings(process.env);
	await runAgent(settings, log);
} catch (error) {
	log(messageOf(error));
	process.exitCode = 1;
}
await end();
process.exit();
