/**
 * `shutdown` and `poweroff` inside an emulated instance: `power-off.ts <command> <metadata url> <folder> [arguments]`. Runs as
 * its own program with only Node, and imports nothing from the project. `shutdown +N` waits in the background, as a dead man's
 * switch does; `shutdown -c` cancels it.
 */
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const MINUTE_MS = 60_000;
const RETRY_MS = 1_000;
/** Longest delay that fits into a timer: 2^31 ms are 24.8 days. */
const MAX_MINUTES = 20 * 24 * 60;

const [command = "", metadataUrl = "", folder = "", ...args] = process.argv.slice(2);
const scheduleFile = join(folder, ".scheduled-shutdown");

if (command === "wait") await waitAndPowerOff(Number(args[0]));
else if (command === "poweroff") await powerOff();
else await shutdown();

async function shutdown(): Promise<void> {
	const flags = args.filter((arg) => arg.startsWith("-"));
	const [when = "+1"] = args.filter((arg) => !arg.startsWith("-"));
	const unknown = flags.find((flag) => !["-h", "-P", "-H", "-c", "--poweroff", "--halt", "--no-wall"].includes(flag));
	if (unknown) return fail(`shutdown: ${unknown} is not available on an emulated instance; use -h, -P or -c`);
	if (flags.includes("-c")) return cancelSchedule();
	if (when === "now" || when === "+0") return powerOff();
	const minutes = /^\+?(\d+)$/.exec(when)?.[1];
	if (minutes === undefined || Number(minutes) > MAX_MINUTES) {
		return fail(`shutdown: the time must be now or +minutes up to +${MAX_MINUTES}, not ${JSON.stringify(when)}`);
	}
	schedule(Date.now() + Number(minutes) * MINUTE_MS);
}

function schedule(atMs: number): void {
	cancelSchedule();
	const waiter = spawn(process.execPath, [import.meta.filename, "wait", metadataUrl, folder, String(atMs)], {
		cwd: folder,
		detached: true,
		stdio: "ignore",
	});
	waiter.unref();
	writeFileSync(scheduleFile, String(waiter.pid));
	process.stdout.write(`Shutdown scheduled for ${new Date(atMs).toISOString()}, use 'shutdown -c' to cancel.\n`);
}

function cancelSchedule(): void {
	try {
		process.kill(Number(readFileSync(scheduleFile, "utf8")));
	} catch {
		// Nothing was scheduled, or the process has already ended.
	}
	rmSync(scheduleFile, { force: true });
}

async function waitAndPowerOff(atMs: number): Promise<void> {
	await sleep(Math.max(0, atMs - Date.now()));
	await powerOff();
}

/** Retries forever: a machine that was asked to power off must not stay on because its hardware was unavailable. */
async function powerOff(): Promise<void> {
	for (;;) {
		try {
			const answer = await fetch(`${metadataUrl}/power-off`, { method: "POST" });
			if (answer.ok) return;
		} catch {
			// The emulator is unavailable; it detects this machine again after its restart.
		}
		await sleep(RETRY_MS);
	}
}

function fail(message: string): void {
	process.stderr.write(`${message}\n`);
	process.exitCode = 1;
}
