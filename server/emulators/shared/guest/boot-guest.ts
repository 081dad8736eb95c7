import { spawn } from "node:child_process";
import { appendFileSync, chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { startOf } from "./processes.ts";

const POWER_OFF_PROGRAM = fileURLToPath(new URL("./power-off.ts", import.meta.url));
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Largest size of unpacked user-data. cloud-init has no limit, but a loopback service should. */
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024;

export interface GuestPlan {
	folder: string;
	/** As received with the launch: base64 of text or, as cloud-init accepts too, of gzip. */
	userData: string;
	/** The machine's own metadata address, which contains `/imds/<secret>`; `<it>/power-off` powers the machine off. */
	metadataUrl: string;
	/** What the cloud's images give a guest in addition to its path and home: the address of the metadata service. */
	environment: Readonly<Record<string, string>>;
}

export interface GuestHandle {
	pid: number;
	started: string | null;
}

/** Whether this machine's user-data was already executed. It is executed only at the first boot. */
export function wasBooted(folder: string): boolean {
	return existsSync(consoleOf(folder));
}

/**
 * Executes the user-data by its own shebang, in its own session, without this process's environment. Without a shebang nothing is
 * executed, as with cloud-init. Returns null if no process was started; console.log contains the reason.
 */
export function bootGuest(plan: GuestPlan): GuestHandle | null {
	const { folder, metadataUrl } = plan;
	mkdirSync(join(folder, "bin"), { recursive: true, mode: 0o700 });
	mkdirSync(join(folder, "tmp"), { recursive: true, mode: 0o700 });
	writeCommands(folder, metadataUrl);
	return execute(plan, "the user-data", () => programOf(plan));
}

/** The path of the user-data as a program; null if it has no shebang. */
function programOf({ folder, userData }: GuestPlan): string | null {
	const program = unpack(userData);
	if (program.subarray(0, 2).toString("latin1") !== "#!") {
		if (program.length > 0) note(folder, "the user-data has no shebang (#!): it is not executed");
		return null;
	}
	const path = join(folder, "user-data");
	writeFileSync(path, program, { mode: 0o700 });
	chmodSync(path, 0o700);
	return path;
}

/**
 * Boots a machine that was stopped: executes what its first boot left for the next ones, as cloud-init does at every boot (module
 * scripts_per_boot), or its user-data again, as Google's guest agent does. Returns null if there is nothing.
 */
export function bootAgain(plan: GuestPlan, by: "per_boot_scripts" | "user_data"): GuestHandle | null {
	if (by === "user_data") return execute(plan, "the user-data", () => programOf(plan));
	const folder = perBootFolderOf(plan.folder);
	return execute(plan, "the script of each boot", () => {
		const [script] = existsSync(folder) ? readdirSync(folder).sort() : [];
		if (script !== undefined) return join(folder, script);
		note(plan.folder, "there is no script for each boot: nothing is executed");
		return null;
	});
}

/** `findProgram` returns the program's path; null: nothing is executed. */
function execute({ folder, environment }: GuestPlan, what: string, findProgram: () => string | null): GuestHandle | null {
	const console = openSync(consoleOf(folder), "a", 0o600);
	try {
		const path = findProgram();
		if (path === null) return null;
		const child = spawn(path, [], {
			cwd: folder,
			detached: true,
			stdio: ["ignore", console, console],
			env: guestEnvironment(folder, environment),
		});
		child.on("error", (error) => note(folder, `${what} could not be executed: ${error.message}`));
		child.on("exit", (code, signal) => note(folder, `${what} ended with ${signal ?? `exit code ${code}`}`));
		child.unref();
		return child.pid === undefined ? null : { pid: child.pid, started: startOf(child.pid) };
	} catch (error) {
		note(folder, `${what} could not be executed: ${error instanceof Error ? error.message : String(error)}`);
		return null;
	} finally {
		closeSync(console);
	}
}

function perBootFolderOf(folder: string): string {
	return join(folder, "per-boot");
}

function guestEnvironment(folder: string, given: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
	const environment = {
		// Node comes last: an emulated image has it installed, like the real one that the driver names.
		PATH: `${join(folder, "bin")}:${SYSTEM_PATH}:${dirname(process.execPath)}`,
		HOME: folder,
		TMPDIR: join(folder, "tmp"),
		// A container would run on the host, with its own files and its own GPUs.
		SPILLWAY_CONTAINER_ENGINE: "none",
		// Where cloud-init looks for scripts of each boot; a guest may not write to the host's folder.
		SPILLWAY_PER_BOOT_FOLDER: perBootFolderOf(folder),
		...given,
	};
	// Next's types require NODE_ENV, but a new machine does not have it.
	return environment as unknown as NodeJS.ProcessEnv;
}

function consoleOf(folder: string): string {
	return join(folder, "console.log");
}

function note(folder: string, text: string): void {
	try {
		appendFileSync(consoleOf(folder), `[emulated instance] ${text}\n`);
	} catch {
		// The folder was deleted, so no one is left to read the note.
	}
}

function unpack(userData: string): Buffer {
	const bytes = Buffer.from(userData, "base64");
	return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }) : bytes;
}

/**
 * The guest's `shutdown` and `poweroff`, which call the emulated hardware. Also an `apt-get` that does nothing: otherwise a guest
 * would install packages permanently on the host.
 */
function writeCommands(folder: string, metadataUrl: string): void {
	writeFileSync(join(folder, "bin", "apt-get"), "#!/bin/sh\necho 'apt-get: an emulated instance installs nothing' >&2\nexit 100\n", {
		mode: 0o700,
	});
	for (const command of ["shutdown", "poweroff"]) {
		const words = [process.execPath, POWER_OFF_PROGRAM, command, metadataUrl, folder].map(quote).join(" ");
		const path = join(folder, "bin", command);
		writeFileSync(path, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o700 });
		chmodSync(path, 0o700);
	}
}

function quote(word: string): string {
	return `'${word.replaceAll("'", "'\\''")}'`;
}
