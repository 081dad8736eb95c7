/** Runs an emulator as its own process, for tests that kill it: `emulator-process.ts <state folder> <port>`. */
import { startEc2Emulator } from "../emulator.ts";
import { FIXTURE_CATALOG } from "./fixture.ts";

const [stateDir = "", port = "0", bootDelayMs = "0"] = process.argv.slice(2);
const emulator = await startEc2Emulator({
	port: Number(port),
	stateDir,
	catalog: FIXTURE_CATALOG,
	bootDelayMs: Number(bootDelayMs),
	terminateDelayMs: 0,
	spotNoticeMs: 60_000,
	guestStopGraceMs: 300,
	seed: 7,
});
process.stdout.write(`${emulator.port}\n`);
