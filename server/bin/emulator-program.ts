import type { Emulator } from "#server/emulators/shared/emulator.ts";
import { surviveLostOutput, writeLine } from "#server/kernel/program-log.ts";

/**
 * Delays of an emulated cloud in the demo: long enough to be visible, short enough to wait for. A machine that ends has time to save its
 * job's checkpoint.
 */
export const EMULATED_TIMES = { bootDelayMs: 3_000, terminateDelayMs: 1_000, spotNoticeMs: 20_000, guestStopGraceMs: 10_000, seed: 1 };

export interface EmulatorProgram {
	/** Name and value of the setting with the address to listen on. */
	setting: string;
	endpoint: string | undefined;
	/** An example address for messages. */
	example: string;
	start(port: number, log: (line: string) => void): Promise<Pick<Emulator, "url" | "stop">>;
	/** Message when it is ready. */
	ready(url: string): string;
}

/**
 * Runs an emulated cloud as a program. SIGTERM and SIGINT end its machines with it. If it cannot start, it prints a one-line
 * error.
 */
export async function runEmulatorProgram(program: EmulatorProgram): Promise<void> {
	try {
		await run(program);
	} catch (error) {
		process.stderr.write(`${startFailure(program, error)}\n`);
		process.exitCode = 1;
	}
}

async function run(program: EmulatorProgram): Promise<void> {
	surviveLostOutput();
	const log = (line: string) => writeLine(1, `${new Date().toISOString()} ${line}`);
	const emulator = await program.start(portOf(program), log);
	log(program.ready(emulator.url));
	let isStopping = false;
	for (const signal of ["SIGTERM", "SIGINT"] as const) {
		process.on(signal, () => {
			if (isStopping) return;
			isStopping = true;
			void emulator.stop({ killInstances: true }).then(() => process.exit(0));
		});
	}
}

function portOf({ setting, endpoint, example }: EmulatorProgram): number {
	const url = new URL(endpoint ?? "http://unset");
	if (url.protocol !== "http:" || !["127.0.0.1", "localhost"].includes(url.hostname) || url.port === "") {
		throw new Error(
			`${setting} is ${JSON.stringify(endpoint ?? "")}: the emulated cloud listens on loopback only. Give an address such as ${example}.`,
		);
	}
	return Number(url.port);
}

function startFailure({ setting, endpoint }: EmulatorProgram, error: unknown): string {
	if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
		return `The emulated cloud cannot listen on ${endpoint}: the port is taken. Stop what uses it, or set ${setting} to a free one.`;
	}
	return `The emulated cloud did not start: ${error instanceof Error ? error.message : String(error)}`;
}
