import { runAgent } from "./agent.ts";
import { messageOf } from "./client.ts";
import { findPowerOff, powerOff } from "./power-off.ts";
import { takeSettings } from "./settings.ts";

/** Runs on the instance. However it ends, the machine is powered off: nobody else may be left who would. */
const log = (text: string): void => {
	process.stdout.write(`${new Date().toISOString()} agent: ${text}\n`);
};

const commands = findPowerOff(process.env["PATH"] ?? "");

process.on("uncaughtException", (error) => {
	log(`ended by a fault of its own: ${error.stack ?? error.message}`);
	void powerOff(commands, log).then(() => process.exit(1));
});

try {
	await runAgent(takeSettings(process.env), log);
} catch (error) {
	log(messageOf(error));
	process.exitCode = 1;
}
await powerOff(commands, log);
process.exit();
